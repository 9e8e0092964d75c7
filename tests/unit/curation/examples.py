"""Outputs as tools write them, made up for these tests: each fails in one place and is full of noise."""

from __future__ import annotations

PYTEST = (
    """\
============================= test session starts ==============================
platform linux -- Python 3.12.4, pytest-8.3.2, pluggy-1.5.0
rootdir: /home/ada/harbor
collected 212 items

"""
    + "\n".join(f"tests/test_berth_{n}.py ............ [{n * 2:3d}%]" for n in range(1, 41))
    + """
tests/test_tides.py ....F...                                             [ 96%]

=================================== FAILURES ===================================
____________________________ test_high_water_at_noon ____________________________

    def test_high_water_at_noon():
        table = tide_table("Brest", day=3)
>       assert table.high_water() == time(12, 4)
E       assert datetime.time(11, 58) == datetime.time(12, 4)
E        +  where datetime.time(11, 58) = high_water()

tests/test_tides.py:48: AssertionError
------------------------------ Captured stdout call ------------------------------
loading harmonics from /home/ada/harbor/data/brest.json
=========================== short test summary info ============================
FAILED tests/test_tides.py::test_high_water_at_noon - assert datetime.time(11...
======================== 1 failed, 211 passed in 14.02s ========================
"""
)

JEST = (
    "\n".join(f"PASS src/deck/panel{n}.test.tsx" for n in range(60))
    + """
FAIL src/cargo/manifest.test.ts
  Manifest
    ✓ adds a crate (4 ms)
    ✓ removes a crate (1 ms)
    ✕ sorts by weight (9 ms)

  ● Manifest › sorts by weight

    expect(received).toEqual(expected) // deep equality

    - Expected  - 1
    + Received  + 1

      Array [
    -   "anchor",
        "rope",
    +   "anchor",
      ]

      31 |     const list = sortByWeight(crates);
      32 |
    > 33 |     expect(list).toEqual(['anchor', 'rope']);
         |                  ^
      34 |   });

      at Object.<anonymous> (src/cargo/manifest.test.ts:33:18)
      at Promise.then.completed (node_modules/jest-circus/build/utils.js:298:28)
      at new Promise (<anonymous>)
      at callAsyncCircusFn (node_modules/jest-circus/build/utils.js:231:10)

Test Suites: 1 failed, 60 passed, 61 total
Tests:       1 failed, 322 passed, 323 total
Snapshots:   0 total
Time:        9.412 s
"""
)

GO = (
    "\n".join(f"=== RUN   TestBerth{n}\n--- PASS: TestBerth{n} (0.0{n % 9}s)" for n in range(50))
    + """
=== RUN   TestMooring
=== RUN   TestMooring/two_lines
    mooring_test.go:71: tension = 41, want 40
--- FAIL: TestMooring (0.02s)
    --- FAIL: TestMooring/two_lines (0.00s)
FAIL
FAIL\tharbor.dev/quay/mooring\t0.412s
ok  \tharbor.dev/quay/crane\t1.022s
FAIL
"""
)

CARGO = (
    "running 90 tests\n"
    + "\n".join(f"test dock::tests::case_{n} ... ok" for n in range(89))
    + """
test dock::tests::refuses_overload ... FAILED

failures:

---- dock::tests::refuses_overload stdout ----
thread 'dock::tests::refuses_overload' panicked at src/dock.rs:212:9:
assertion `left == right` failed
  left: Ok(())
 right: Err(Overload(3))
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

failures:
    dock::tests::refuses_overload

test result: FAILED. 89 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.31s
"""
)

UNITTEST = (
    "\n".join(f"test_case_{n} (harbor.tests.CraneTest) ... ok" for n in range(60))
    + """
test_lift (harbor.tests.CraneTest) ... ERROR

======================================================================
ERROR: test_lift (harbor.tests.CraneTest)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/usr/lib/python3.12/unittest/case.py", line 58, in testPartExecutor
    yield
  File "/usr/lib/python3.12/unittest/case.py", line 634, in run
    self._callTestMethod(testMethod)
  File "/home/ada/harbor/tests/test_crane.py", line 22, in test_lift
    crane.lift(9)
  File "/home/ada/harbor/crane.py", line 140, in lift
    raise TooHeavy(load)
harbor.crane.TooHeavy: 9 t is more than 8 t

----------------------------------------------------------------------
Ran 61 tests in 0.512s

FAILED (errors=1)
"""
)

RSPEC = (
    "." * 70
    + "F"
    + "." * 300
    + "\n"
    + "\n".join(f"Deprecation note {n}: use let!" for n in range(40))
    + """

Failures:

  1) Ferry#depart waits for the last car
     Failure/Error: expect(ferry.cars).to eq(40)

       expected: 40
            got: 39

       (compared using ==)
     # ./spec/ferry_spec.rb:57:in `block (3 levels) in <top (required)>'

Finished in 3.21 seconds (files took 1.02 seconds to load)
371 examples, 1 failure

Failed examples:

rspec ./spec/ferry_spec.rb:52 # Ferry#depart waits for the last car
"""
)

MAVEN = (
    "\n".join(
        f"[INFO] Running dev.harbor.Berth{n}Test\n[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0"
        for n in range(40)
    )
    + """
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.09 s <<< FAILURE! -- in dev.harbor.PilotTest
[ERROR] dev.harbor.PilotTest.boards -- Time elapsed: 0.01 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <true> but was: <false>
\tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
\tat dev.harbor.PilotTest.boards(PilotTest.java:31)
\tat java.base/java.lang.reflect.Method.invoke(Method.java:580)
[INFO]
[ERROR] Tests run: 163, Failures: 1, Errors: 0, Skipped: 0
[INFO] BUILD FAILURE
"""
)

CTEST = (
    "\n".join(f"{n:3d}/80 Test #{n}: berth_{n} ...................   Passed    0.01 sec" for n in range(1, 80))
    + """
80/80 Test #80: crane_limits ................***Failed    0.02 sec

99% tests passed, 1 tests failed out of 80

The following tests FAILED:
\t 80 - crane_limits (Failed)
Errors while running CTest
"""
)

TEST_RUNS = {
    "pytest": (
        PYTEST,
        ["tests/test_tides.py:48", "datetime.time(11, 58) == datetime.time(12, 4)", "1 failed, 211 passed"],
    ),
    "jest": (JEST, ["src/cargo/manifest.test.ts:33:18", "● Manifest › sorts by weight", "1 failed, 322 passed"]),
    "go test": (GO, ["mooring_test.go:71: tension = 41, want 40", "--- FAIL: TestMooring", "harbor.dev/quay/mooring"]),
    "cargo test": (CARGO, ["src/dock.rs:212:9", "left: Ok(())", "right: Err(Overload(3))", "89 passed; 1 failed"]),
    "python -m unittest": (UNITTEST, ['crane.py", line 140', "TooHeavy: 9 t is more than 8 t", "FAILED (errors=1)"]),
    "rspec": (RSPEC, ["./spec/ferry_spec.rb:57", "expected: 40", "got: 39", "371 examples, 1 failure"]),
    "mvn test": (MAVEN, ["PilotTest.java:31", "expected: <true> but was: <false>", "BUILD FAILURE"]),
    "ctest": (CTEST, ["crane_limits", "***Failed", "1 tests failed out of 80"]),
}

TSC = (
    "\n".join(f"[10:00:{n:02d}] Projects in this build: packages/p{n}/tsconfig.json is up to date" for n in range(50))
    + """
src/quay/berth.ts(41,7): error TS2322: Type 'string' is not assignable to type 'number'.
src/quay/crane.ts:12:3 - error TS2304: Cannot find name 'winch'.

12   winch.start();
     ~~~~~

Found 2 errors in 2 files.
"""
)

GCC = (
    "\n".join(f"[ {n:2d}%] Building CXX object src/CMakeFiles/harbor.dir/part{n}.cpp.o" for n in range(60))
    + """
In file included from /home/ada/harbor/src/tide.cpp:3:
/home/ada/harbor/src/tide.h:88:17: error: 'Moon' does not name a type
   88 |     const Moon& moon() const;
      |                 ^~~~
make[2]: *** [src/CMakeFiles/harbor.dir/build.make:202: src/CMakeFiles/harbor.dir/tide.cpp.o] Error 1
make: *** [Makefile:146: all] Error 2
"""
)

CARGO_BUILD = (
    "\n".join(f"   Compiling rope-{n} v0.{n}.1" for n in range(90))
    + """
error[E0382]: borrow of moved value: `anchor`
  --> src/deck.rs:57:20
   |
55 |     stow(anchor);
   |          ------ value moved here
57 |     println!("{}", anchor);
   |                    ^^^^^^ value borrowed here after move

error: could not compile `harbor` (bin "harbor") due to 1 previous error
"""
)

ESLINT = (
    """
/home/ada/harbor/src/radio.js
  12:9   error    'channel' is assigned a value but never used  no-unused-vars
  88:3   warning  Unexpected console statement                  no-console

"""
    + "\n".join(
        f"/home/ada/harbor/src/page{n}.js\n  {n}:1  warning  Missing return type on function  return-type\n"
        for n in range(1, 90)
    )
    + """
✖ 91 problems (1 error, 90 warnings)
"""
)

BUILDS = {
    "npx tsc -b": (
        TSC,
        ["src/quay/berth.ts(41,7): error TS2322", "src/quay/crane.ts:12:3", "Found 2 errors in 2 files."],
    ),
    "make": (GCC, ["src/tide.h:88:17: error: 'Moon' does not name a type", "Error 2"]),
    "cargo build": (
        CARGO_BUILD,
        ["error[E0382]: borrow of moved value: `anchor`", "src/deck.rs:57:20", "could not compile"],
    ),
    "npx eslint src": (ESLINT, ["/home/ada/harbor/src/radio.js", "12:9", "no-unused-vars", "91 problems (1 error"]),
}
