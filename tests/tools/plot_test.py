#!/usr/bin/env python3
"""heron plot draws pictures of the right size with every series in its colour. usage: plot_test.py HERON"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

heron = pathlib.Path(sys.argv[1]).resolve()
BLUE, VERMILION, GREEN = (0, 115, 179), (214, 94, 0), (0, 158, 115)


def plot(*words):
    return subprocess.run([heron, "plot", *map(str, words)], text=True, capture_output=True)


def pixels(file):
    """(width, height, how often each colour occurs, how often along the edges) of an 8-bit RGB picture."""
    data = file.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    if data[:8] != b"\x89PNG\r\n\x1a\n" or depth != 8 or kind != 2:
        sys.exit(f"{file}: no picture of 8-bit colours")
    packed, at = b"", 8
    while at < len(data):
        length = struct.unpack(">I", data[at:at + 4])[0]
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    raw, stride, before, counts, edges = zlib.decompress(packed), 3 * width, bytes(3 * width), {}, {}
    for row in range(height):
        line = bytearray(raw[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        undo(raw[row * (stride + 1)], line, before)
        for i in range(0, stride, 3):
            colour = tuple(line[i:i + 3])
            counts[colour] = counts.get(colour, 0) + 1
            if row in (0, height - 1) or i in (0, stride - 3):
                edges[colour] = edges.get(colour, 0) + 1
        before = bytes(line)
    return width, height, counts, edges


def undo(kind, line, above):
    for i in range(len(line)):
        left, up, corner = (line[i - 3], above[i], above[i - 3]) if i >= 3 else (0, above[i], 0)
        guess = left + up - corner
        nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
        line[i] = (line[i] + (0, left, up, (left + up) // 2, nearest)[kind]) & 255


def results(contenders, matrices=("poisson2d:10", "rmat:9", "arrow")):
    rows = []
    for i, matrix in enumerate(matrices):
        for k, contender in enumerate(contenders):
            seconds = 1e-3 * (1 + (i * 7 + k * 5) % 4)
            rows.append({"matrix": matrix, "type": "f64", "nnz": 1000 * (i + 1), "contender": contender, "result": "right",
                         "seconds": seconds, "gflops": 1 / seconds / 1e3, "gbytes_per_second": 6 / seconds / 1e3,
                         "bandwidth": {"gbytes_per_second": 20}, "ratio": {"eigen": 0.8 + 0.5 * i + 0.2 * k}})
    return {"benchmark": "spmv", "results": rows}


def times(counts, colour):
    """How often a colour occurs, up to how it is rounded."""
    return sum(n for c, n in counts.items() if max(abs(a - b) for a, b in zip(c, colour)) <= 2)


def check_picture(file, size, present, absent):
    width, height, counts, edges = pixels(file)
    missing = [c for c in present if times(counts, c) < 20]
    if (width, height) != size or missing or any(times(counts, c) for c in absent) or counts.get((255, 255, 255), 0) < width * height / 2:
        sys.exit(f"{file}: {width} x {height}, {missing} missing")
    if set(edges) != {(255, 255, 255)}:
        sys.exit(f"{file}: something is cut at an edge")


def main(folder):
    source, picture = folder / "bench.json", folder / "plot.png"
    for kind in ("ratios", "roofline", "profile", "scaling"):
        for contenders, present, absent in ((["a", "b"], [BLUE, VERMILION], [GREEN]), (["a", "b", "c"], [BLUE, VERMILION, GREEN], [])):
            source.write_text(json.dumps(results(contenders)))
            result = plot(source, "--kind", kind, "--width", 400, "--height", 300, "-o", picture)
            if result.returncode:
                if "without Cairo" in result.stderr:
                    print("skipped: built without Cairo")
                    sys.exit(77)
                sys.exit(f"{kind}: {result.stderr}")
            check_picture(picture, (400, 300), present, absent)
        if plot(source, "--kind", kind, "-o", folder / "plot.svg").returncode or "<svg" not in (folder / "plot.svg").read_text():
            sys.exit(f"{kind}: no SVG")
        print(f"{kind}: ok")
    # Long names, and more of them than there is room for.
    for count in (8, 60):
        source.write_text(json.dumps(results(["a", "b"], [f"a-matrix-with-a-long-name:{i}" for i in range(count)])))
        if (result := plot(source, "--width", 640, "--height", 440, "-o", picture)).returncode:
            sys.exit(f"{count} names: {result.stderr}")
        check_picture(picture, (640, 440), [BLUE, VERMILION], [GREEN])
        print(f"{count} names: ok")
    refused = {"is no JSON": "[", "holds no results": "{}", "no result in the file is usable": '{"results": []}'}
    for reason, text in refused.items():
        source.write_text(text)
        result = plot(source, "-o", picture)
        if result.returncode == 0 or reason not in result.stderr:
            sys.exit(f"{text}: {result}")
    source.write_text(json.dumps(results(["a"])))
    for words, reason in ((["--kind", "profile"], "there is one"), (["--kind", "scaling", "--over", "m"], "number 'm'"),
                          (["-o", folder / "plot.gif"], "ends with .png or .svg"), (["-o", "/nowhere/x.png"], "/nowhere")):
        result = plot(source, *words)
        if result.returncode == 0 or reason not in result.stderr + result.stdout:
            sys.exit(f"{words}: {result}")
    print("refusals: ok")


with tempfile.TemporaryDirectory() as directory:
    main(pathlib.Path(directory))
