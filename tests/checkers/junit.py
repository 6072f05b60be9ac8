"""Reads a JUnit report as CI services do: valid by the schema, and counted by junitparser. Prints the counts."""

import sys

import junitparser
import xmlschema

schema, report = sys.argv[1:]
xmlschema.XMLSchema(schema).validate(report)
suites = junitparser.JUnitXml.fromfile(report)
cases = [case for suite in suites for case in suite]
assert len(cases) == suites.tests, (len(cases), suites.tests)
failed = sorted(case.name for case in cases if any(isinstance(result, junitparser.Failure) for result in case.result))
errors = [case.name for case in cases if any(isinstance(result, junitparser.Error) for result in case.result)]
assert (len(failed), len(errors)) == (suites.failures, suites.errors)
print(len(cases), len(failed), len(errors), "|".join(failed)[:200])
