"""Row-by-row twins of the generators whose concepts change: the definitions, one value at a time.

Each takes the random numbers in the order in which the stream draws them.
"""

import math

import numpy as np

from tests.naive.streams import uniform


def concept_of(t, drift_every, width, key, n_concepts):
    """The concept of a row: how many switches it has passed."""
    concept = 0
    u = uniform(key, t)
    for number in range(1, (t + 12 * int(width + 1)) // drift_every + 1 if drift_every else 0):
        point = number * drift_every
        if width == 0:
            beyond = t >= point
        else:
            exponent = -4 * (t - point) / width
            beyond = u < (1 / (1 + math.exp(exponent)) if exponent < 700 else 0)
        if beyond:
            concept = number
    return concept if n_concepts is None else concept % n_concepts


def drifting_rows(stream, n_rows, key, block_rng, sample):
    """Rows of a stream of several concepts: in each block, those of the first concept are drawn
    first."""
    rows, labels, concepts = [], [], []
    for first in range(0, n_rows, stream.block_rows):
        block = [
            concept_of(t, stream.drift_every, stream.width, key, stream.n_concepts)
            for t in range(first, first + stream.block_rows)
        ]
        rng = block_rng(first // stream.block_rows)
        drawn = {}
        for concept in sorted(set(block)):
            drawn[concept] = iter(list(sample(stream, concept, block.count(concept), rng)))
        for concept in block:
            x, y = next(drawn[concept])
            rows.append(x)
            labels.append(y)
        concepts += block
    return np.array(rows[:n_rows], dtype=float), np.array(labels[:n_rows]), concepts[:n_rows]


def some_bits(rng, count):
    """Zeros and ones, the highest bit of each byte first."""
    drawn = rng.bytes((count + 7) // 8)
    return [byte >> (7 - i) & 1 for byte in drawn for i in range(8)][:count]


def agrawal_class(function, person):
    """0 for group A, 1 for the others: functions 1 to 10 of the paper."""
    salary, commission, age, elevel, _, _, hvalue, hyears, loan = person
    total = salary + commission

    def by_age(young, middle, old):
        return young if age < 40 else middle if age < 60 else old

    def between(value, limits):
        return limits[0] * 1_000 <= value <= limits[1] * 1_000

    if function == 1:
        in_a = age < 40 or age >= 60
    elif function == 2:
        in_a = between(salary, by_age((50, 100), (75, 125), (25, 75)))
    elif function == 3:
        in_a = elevel in by_age((0, 1), (1, 2, 3), (2, 3, 4))
    elif function == 4:
        if elevel in by_age((0, 1), (1, 2, 3), (2, 3, 4)):
            in_a = between(salary, by_age((25, 75), (50, 100), (50, 100)))
        else:
            in_a = between(salary, by_age((50, 100), (75, 125), (25, 75)))
    elif function == 5:
        if between(salary, by_age((50, 100), (75, 125), (25, 75))):
            in_a = between(loan, by_age((100, 300), (200, 400), (300, 500)))
        else:
            in_a = between(loan, by_age((200, 400), (300, 500), (75, 300)))
    elif function == 6:
        in_a = between(total, by_age((50, 100), (75, 125), (25, 75)))
    elif function == 7:
        in_a = 2 * total / 3 - loan / 5 - 20_000 > 0
    elif function == 8:
        in_a = 2 * total / 3 - 5_000 * elevel - 20_000 > 0
    elif function == 9:
        in_a = 2 * total / 3 - 5_000 * elevel - loan / 5 - 10_000 > 0
    else:
        equity = hvalue * (hyears - 20) / 10 if hyears >= 20 else 0
        in_a = 2 * total / 3 - 5_000 * elevel + equity / 5 - 10_000 > 0
    return 0 if in_a else 1


def agrawal_people(count, rng):
    salary, commission = rng.random(count), rng.random(count)
    age, elevel = rng.integers(20, 81, count), rng.integers(5, size=count)
    car, zipcode = rng.integers(1, 21, count), rng.integers(9, size=count)
    hvalue, hyears, loan = rng.random(count), rng.integers(1, 31, count), rng.random(count)
    for i in range(count):
        earns = 20_000 + 130_000 * salary[i]
        more = 10_000 + 75_000 * commission[i] if earns < 75_000 else 0
        house = (9 - zipcode[i]) * 100_000 * (0.5 + hvalue[i])
        yield [
            earns,
            more,
            age[i],
            elevel[i],
            car[i],
            zipcode[i],
            house,
            hyears[i],
            500_000 * loan[i],
        ]


def agrawal_sample(stream, concept, count, rng):
    functions = np.atleast_1d(stream.functions)
    function = functions[concept]
    if not stream.balanced:
        people = list(agrawal_people(count, rng))
    else:
        groups, wanted = {0: [], 1: []}, {0: (count + 1) // 2, 1: count // 2}
        at_a_time = 2 * count
        while any(len(groups[label]) < wanted[label] for label in groups):
            at_a_time = min(max(at_a_time, 64), 2**16)
            for person in agrawal_people(at_a_time, rng):
                groups[agrawal_class(function, person)].append(person)
            at_a_time *= 4
        people = [groups[i % 2][i // 2] for i in range(count)]
    labels = [agrawal_class(function, person) for person in people]
    if stream.perturbation:
        moves = rng.random((6, count))
        limits = {0: (20_000, 150_000), 1: (10_000, 85_000), 2: (20, 80), 6: (0, 1_350_000)}
        limits |= {7: (1, 30), 8: (0, 500_000)}
        for i, person in enumerate(people):
            for number, (column, (low, high)) in enumerate(limits.items()):
                if column == 1 and person[1] == 0:
                    continue
                width = (9 - person[5]) * 100_000 if column == 6 else high - low
                value = person[column] + width * (2 * moves[number, i] - 1) * stream.perturbation
                value = min(max(value, low), high)
                person[column] = round(value) if column in (2, 7) else value
    return list(zip(people, labels, strict=True))


def asset_is_interesting(function, color, price, payment, amount, delay):
    if function == 1:
        return (price, amount) == ("normal", "high") or (color, price, delay) == (
            "brown", "very_low", "high"
        )  # fmt: skip
    if function == 2:
        return (price, amount, delay) == ("high", "very_high", "high")
    return (price, payment, amount) == ("very_low", "0", "high") or (color, price, payment) == (
        "red", "low", "30"
    )  # fmt: skip


def flips(noise, count, rng):
    return rng.random(count) < noise if noise else [False] * count


def binary_sample(stream, concept, count, rng):
    columns = stream._sets[concept]
    k = len(columns)
    width = stream.n_features
    drawn = some_bits(rng, count * width)
    rows = [drawn[i * width : (i + 1) * width] for i in range(count)]

    def label(values):
        if stream.rule == "all":
            return int(sum(values) == k)
        if stream.rule == "majority":
            return int(sum(values) > k / 2)
        return int(sum(values) in (0, k))

    if stream.balanced:
        every = [[number >> j & 1 for j in range(k)] for number in range(2**k)]
        for wanted in (0, 1):
            members = [values for values in every if label(values) == wanted]
            places = range(wanted, count, 2)
            for i, chosen in zip(places, rng.integers(len(members), size=len(places))):
                for column, value in zip(columns, members[chosen]):
                    rows[i][column] = value
    labels = [label([row[column] for column in columns]) for row in rows]
    turned = flips(stream.noise, count, rng)
    return [(row, y ^ int(t)) for row, y, t in zip(rows, labels, turned, strict=True)]


def sea_sample(stream, concept, count, rng):
    drawn = rng.random((count, stream.n_features))
    thresholds = np.atleast_1d(stream.thresholds)
    a, b = ((2 * concept + i) % stream.n_features for i in range(2))
    turned = flips(stream.noise, count, rng)
    for x, turn in zip(drawn, turned, strict=True):
        row = [10 * v * (1 if j in (a, b) else stream.irrelevant_scale) for j, v in enumerate(x)]
        label = int(row[a] + row[b] > thresholds[concept % len(thresholds)])
        yield row, label ^ int(turn)


LIT = ["abcefg", "cf", "acdeg", "acdfg", "bcdf", "abdfg", "abdefg", "acf", "abcdefg", "abcdfg"]
"""The segments of each digit: a top, b and c upper, d middle, e and f lower, g bottom."""


def led_sample(stream, concept, count, rng):
    digits = rng.integers(10, size=count)
    wrong = rng.random((count, 7)) < stream.noise if stream.noise else np.zeros((count, 7))
    width = stream.n_features
    drawn = some_bits(rng, count * width)
    for i, digit in enumerate(digits):
        row = drawn[i * width : (i + 1) * width]
        for segment, column in enumerate(stream._layout(concept)):
            row[column] = int("abcdefg"[segment] in LIT[digit]) ^ int(wrong[i, segment])
        yield row, digit


def conditional_accepts(stream, concept):
    """What each class accepts: a function of class, column and value without its scale."""
    held = stream._concept(concept)
    split = stream.n_relevant + stream.n_irrelevant

    def accepts(label, column, value):
        if column < split and column in held.numeric:
            parts = held.intervals.parts[label][list(held.numeric).index(column)]
            return any(low - 1e-12 <= value <= high + 1e-12 for low, high in parts)
        if column - split in held.nominal:
            place = list(held.nominal).index(column - split)
            return bool(held.subsets.accepted[label, place, int(value)])
        return True

    return accepts


def inside(parts, share):
    """The point below which a share of the accepted length lies: walking along the intervals."""
    left = share * math.fsum(high - low for low, high in parts)
    for low, high in parts:
        if left <= high - low:
            return low + left
        left -= high - low
    return parts[-1][1]


def conditional_sample(stream, concept, count, rng):
    held = stream._concept(concept)
    split = stream.n_relevant + stream.n_irrelevant
    labels = rng.integers(stream.n_classes, size=count)
    noisy = flips(stream.noise, count, rng)
    numbers = rng.random((count, split))
    codes = rng.integers(stream.n_values, size=(count, split), dtype=np.int32)
    shares = rng.random((count, stream.n_relevant))
    for i, label in enumerate(labels):
        row = [*numbers[i], *codes[i]]
        for place in range(stream.n_relevant):
            column = held.numeric[place]
            if not noisy[i]:
                row[column] = inside(held.intervals.parts[label][place], numbers[i, column])
            accepted = [
                code
                for code in range(stream.n_values)
                if noisy[i] or held.subsets.accepted[label, place, code]
            ]
            row[split + held.nominal[place]] = accepted[int(shares[i, place] * len(accepted))]
        for column in range(split):
            row[column] *= stream._scales[column]
        yield row, label


def hyperplane_rows(stream, n_rows, weights, turn_rng, block_rng):
    weights = [weights.random() for _ in range(stream.n_features - stream.n_irrelevant)]
    weights += [0.0] * stream.n_irrelevant
    direction = [1] * stream.n_moving
    rows, labels, ways = [], [], []
    for t in range(n_rows):
        r = t % stream.block_rows
        if r == 0:
            block = t // stream.block_rows
            drawn = block_rng(block)
            X = drawn.random((stream.block_rows, stream.n_features))
            turned = flips(stream.noise, stream.block_rows, drawn)
            turns = turn_rng(block).random((stream.block_rows, stream.n_moving))
        label = int(math.fsum(w * x for w, x in zip(weights, X[r])) >= math.fsum(weights) / 2)
        rows.append(X[r])
        labels.append(label ^ int(turned[r]))
        ways.append(list(weights))
        for j in range(stream.n_moving):
            weights[j] += direction[j] * stream.step
            if turns[r, j] < stream.turn:
                direction[j] = -direction[j]
    return np.array(rows), np.array(labels), np.array(ways)
