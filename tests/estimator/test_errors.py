"""The one shape of a refusal."""

from estimator.errors import Part, Problem, SpecError, plain


def test_a_refusal_gives_programs_its_message_and_no_parts_of_it() -> None:
    sentence = (Part("It has "), Part("12.0 GB/s", value=12.0, unit="GB/s"), Part(" (key `fit`).", page="."))
    problem = Problem.saying("log", "faulty_log", sentence)
    assert problem.parts == sentence
    refused = {"field": "log", "code": "faulty_log", "message": "It has 12.0 GB/s (key `fit`)."}
    assert plain(sentence) == refused["message"]
    assert SpecError([problem]).as_json() == {"code": "invalid_spec", "problems": [refused]}
    changed = Problem("log", "x", "y", change={"nodes": 3})
    assert changed.for_programs() == {"field": "log", "code": "x", "message": "y", "change": {"nodes": 3}}
