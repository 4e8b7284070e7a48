//! `laptime ops`: what it asks of Python, what it makes of the answer, and what it refuses.
//!
//! A script stands for Python here; `tests/python/operations/test_command.py` has the real one.

use std::os::unix::fs::PermissionsExt;

use crate::place::{Left, Place};

/// Counts as Python answers them: one product of 2·3·4 multiply-accumulates.
const ANSWER: &str = r#"{
  "schema": "laptime-operations", "version": 1, "name": "net:build", "inputs": ["2×3 float32"],
  "how": "by hand", "params": 12,
  "total": TALLY, "by_dtype": [{"dtype": "float32", "executed_mac": 24}],
  "by_op": [{"name": "aten::mm", "total": TALLY}],
  "by_module": [
    {"path": "", "kind": "Net", "parent": null, "depth": 0, "calls": 1, "params": 12,
     "own": NOTHING, "inclusive": TALLY},
    {"path": "a", "kind": "Linear", "parent": 0, "depth": 1, "calls": 1, "params": 12,
     "own": TALLY, "inclusive": TALLY}
  ],
  "uncounted": [{"name": "mine::odd", "reason": "no formula for it is known", "calls": 1,
                 "elements": 6, "each": null}],
  "warnings": []
}"#;

const PHASE: &str = r#""counted_calls": 1, "zero_calls": 0, "uncounted_calls": 1, "mac": 24,
  "active_mac": 24, "executed_mac": 24, "other_flop": 0, "integer_op": 0, "transcendental": 0,
  "compare": 0, "bytes_read": 72, "bytes_written": 32, "communication_bytes": 0"#;

fn answer() -> String {
    let tally = format!("{{{PHASE}, \"by_phase\": {{\"forward\": {{{PHASE}}}}}}}");
    let nothing = PHASE.replace("24", "0").replace(": 1", ": 0");
    ANSWER
        .replace("TALLY", &tally)
        .replace("NOTHING", &format!("{{{nothing}, \"by_phase\": {{}}}}"))
}

/// A place with a Python that says this, and how `laptime` leaves it.
struct Scripted(Place);

impl Scripted {
    fn saying(answer: &str) -> Self {
        Self::running("cat answer; exit 0", answer)
    }

    fn running(script: &str, answer: &str) -> Self {
        let place = Place::new();
        place.file("answer", answer);
        place.file(
            "python",
            &format!("#!/bin/sh\nprintf '%s' \"$3\" > request\n{script}\n"),
        );
        let path = place.path().join("python");
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
        Self(place)
    }

    fn ops(&self, arguments: &[&str]) -> Left {
        let mut command = self.0.command();
        command.env("LAPTIME_PYTHON", self.0.path().join("python"));
        // What is measured for a roofline is kept there.
        command.env("XDG_CACHE_HOME", self.0.path());
        Left::from(command.arg("ops").args(arguments).output().unwrap())
    }

    fn request(&self) -> serde_json::Value {
        let text = std::fs::read_to_string(self.0.path().join("request")).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

#[test]
fn a_model_is_asked_of_python_and_its_counts_are_shown() {
    let scripted = Scripted::saying(&answer());
    let left = scripted.ops(&["net:build", "--input", "2,3", "--depth", "all"]);
    assert_eq!(left.code, 0, "{}", left.err);
    insta::assert_snapshot!(left.out, @"
    net:build  12 parameters · 24 MAC · 48 FLOP · coverage 50.0 %
    input 2×3 float32; by hand

    quantity             forward  exact
    ───────────────────────────────────
    MAC                     24       24
    FLOP                    48       48
    other FLOP               0        0
    total FLOP              48       48
    executed FLOP           48       48
    bytes read              72 B     72
    bytes written           32 B     32
    total FLOP per byte   0.46
    operations               2        2
    1 of 2 operations is not counted: every sum here is at least so much

    by module
    module         params  calls  MAC  FLOP  other FLOP  bytes  FLOP/byte  coverage  share
    ───────────────────────────────────────────────────────────────────────────────────────────────────
    Net                12      1   24    48           0  104 B       0.46    50.0 %  100 % ████████████
    └─ a (Linear)      12      1   24    48           0  104 B       0.46    50.0 %  100 % ████████████
    share is of all MAC; a module's numbers hold those of the modules in it

    not counted
    no formula for it is known
    operator   calls  elements
    ──────────────────────────
    mine::odd      1         6

    conventions
    · 1 MAC = 2 FLOP; MAC and FLOP are of matrix products, convolutions and attention, dense: padding
      and masks are not taken off
    · other arithmetic, integer operations, transcendental functions and compares have columns of their
      own; total FLOP = FLOP + other FLOP
    · backward is what autograd runs; recomputed forwards and what fused kernels repeat are executed
      FLOP, not FLOP
    · bytes are compulsory traffic: each input read once, each output written once, views none
    ");
    assert_eq!(
        left.err,
        "next: laptime ops net:build --input 2,3 --roofline\n"
    );
}

#[test]
fn what_was_typed_reaches_python() {
    let scripted = Scripted::saying(&answer());
    let typed = [
        "net:build",
        "-i",
        "1,3:int64",
        "--kwarg",
        "mask=1,3:bool",
        "--seq",
        "128",
        "--backward",
        "--mode",
        "real",
    ];
    assert_eq!(scripted.ops(&typed).code, 0);
    insta::assert_json_snapshot!(scripted.request(), @r#"
    {
      "backward": true,
      "inputs": [
        {
          "dtype": "int64",
          "sizes": [
            1,
            3
          ]
        }
      ],
      "kind": "factory",
      "kwargs": [
        {
          "dtype": "bool",
          "label": "mask",
          "sizes": [
            1,
            3
          ]
        }
      ],
      "mode": "real",
      "roofline": false,
      "sequence": 128,
      "target": "net:build"
    }
    "#);
    for (typed, kind, target) in [
        ("resnet50", "torchvision", "resnet50"),
        ("torchvision:resnet50", "torchvision", "resnet50"),
        ("a.b:C.d", "factory", "a.b:C.d"),
    ] {
        scripted.ops(&[typed]);
        let request = scripted.request();
        assert_eq!(
            (&request["kind"], &request["target"]),
            (&kind.into(), &target.into())
        );
    }
}

#[test]
fn every_format_is_written_by_name_and_by_ending() {
    let scripted = Scripted::saying(&answer());
    let json = scripted.ops(&["net:build", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["total"]["flop"], 48);
    for (ending, start) in [
        ("json", "{\n  \"schema\": \"laptime-operations\""),
        ("csv", "table,name,"),
        ("md", "## net:build"),
        ("html", "<!doctype html>"),
        ("txt", "net:build  12 parameters"),
    ] {
        let file = format!("counts.{ending}");
        let left = scripted.ops(&["net:build", "-o", &file]);
        assert_eq!(
            (left.code, left.out.as_str(), left.err.as_str()),
            (0, "", "")
        );
        let text = std::fs::read_to_string(scripted.0.path().join(file)).unwrap();
        assert!(text.starts_with(start), "{text}");
    }
}

#[test]
fn counts_that_were_written_are_shown_again_without_python() {
    let scripted = Scripted::saying(&answer());
    assert_eq!(scripted.ops(&["net:build", "-o", "counts.json"]).code, 0);
    let first = scripted.ops(&["net:build", "--exact"]);
    let again = scripted.0.laptime(&["ops", "counts.json", "--exact"]);
    assert_eq!((again.code, &again.out), (0, &first.out));
}

#[test]
fn damaged_and_later_counts_are_unreadable() {
    let scripted = Scripted::saying(&answer());
    let text = answer();
    scripted.0.file("cut.json", &text[..400]);
    scripted.0.file(
        "later.json",
        &text.replace("\"version\": 1", "\"version\": 2"),
    );
    let left = scripted.0.laptime(&["ops", "cut.json"]);
    assert_eq!(left.code, 6);
    assert!(
        left.err
            .starts_with("laptime: error: cannot read cut.json: EOF"),
        "{}",
        left.err
    );
    let left = scripted.0.laptime(&["ops", "later.json"]);
    assert_eq!(left.code, 6);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: cannot read later.json: version 2 is later than 1
    hint: update Laptime to read it
    ");
}

#[test]
fn pythons_reason_and_its_way_out_are_said() {
    let failure = |code| {
        format!(
            r#"{{"error": "shapes 2 and 3 differ", "hint": "raised below net.py:3", "code": {code}}}"#
        )
    };
    let left = Scripted::saying(&failure(1)).ops(&["net:build"]);
    assert_eq!((left.code, left.out.as_str()), (1, ""));
    insta::assert_snapshot!(left.err, @r"
    laptime: error: shapes 2 and 3 differ
    hint: raised below net.py:3
    ");
    assert_eq!(Scripted::saying(&failure(2)).ops(&["net:build"]).code, 2);
}

#[test]
fn a_folder_is_named_for_the_configuration_in_it() {
    let scripted = Scripted::saying(&answer());
    let folder = scripted.0.path().join("model");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("config.json"), "{}").unwrap();
    assert_eq!(scripted.ops(&["model"]).code, 0);
}

#[test]
fn a_python_that_does_not_answer_says_how_it_ended() {
    let scripted = Scripted::running("echo 'No module named laptime' >&2; exit 1", "");
    let left = scripted.ops(&["net:build"]);
    assert_eq!(left.code, 1);
    assert!(
        left.err
            .starts_with("No module named laptime\nlaptime: error: "),
        "{}",
        left.err
    );
    assert!(
        left.err
            .contains("ended with exit code 1 before it had counted\nhint: models are built by")
    );
    let left = Scripted::running("kill -9 $$", "").ops(&["net:build"]);
    assert_eq!(left.code, 1);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: cannot count net:build: its Python was ended by signal 9
    hint: the model may need more memory or time than there is: try it with smaller sizes
    ");
}

#[test]
fn a_roofline_is_drawn_or_its_lack_is_explained() {
    let scripted = Scripted::saying(&answer());
    let left = scripted.ops(&["net:build", "--roofline", "--device", "moon:0"]);
    assert_eq!(left.code, 0);
    assert!(
        left.out
            .contains("warning: no roofline: no float32 peak of moon:0 is known"),
        "{}",
        left.out
    );
}

#[test]
fn a_path_to_something_else_is_told_what_can_be_counted() {
    let place = Place::new();
    place.file("notes.txt", "");
    place.file("net.py", "");
    place.file("x.pt", "");
    let said = |target: &str| {
        let left = place.laptime(&["ops", target]);
        assert_eq!((left.code, left.out.as_str()), (2, ""), "{}", left.err);
        left.err
    };
    insta::assert_snapshot!(said("notes.txt"), @r"
    laptime: error: cannot count notes.txt: no kind of file that holds a model
    hint: TARGET is package.module:factory, a torchvision model's name, or a file: config.json, .pt2, .onnx; nothing is downloaded
    ");
    insta::assert_snapshot!(said("./net.py"), @r"
    laptime: error: cannot count ./net.py: a Python file does not say which of its classes or functions is the model
    hint: name it: laptime ops net:factory
    ");
    assert!(said("src/net.py").ends_with("laptime ops src.net:factory\n"));
    assert!(said("../a b/net.py").ends_with("cd '../a b' && laptime ops net:factory\n"));
    assert!(said("package.module").contains("no such file; a module takes the name"));
    assert!(said(".").contains("this folder has no config.json"));
    insta::assert_snapshot!(said("x.pt"), @r"
    laptime: error: cannot count x.pt: such a file holds weights, not the model that uses them
    hint: name the class or function that builds the model, its weights are not needed: laptime ops package.module:factory; or its config.json
    ");
}

#[test]
fn options_that_say_what_to_count_are_refused_for_what_was_counted_before() {
    let scripted = Scripted::saying(&answer());
    assert_eq!(scripted.ops(&["net:build", "-o", "counts.json"]).code, 0);
    for option in [
        &["--seq", "8"] as &[&str],
        &["--backward"],
        &["-i", "1"],
        &["--kwarg", "a=1"],
    ] {
        let left = scripted.ops(&[&["counts.json"], option].concat());
        assert_eq!((left.code, left.out.as_str()), (2, ""), "{}", left.err);
        assert!(left.err.contains("holds what was counted before"));
    }
}

#[test]
fn wrong_usage_says_what_would_be_right() {
    let place = Place::new();
    let said = |arguments: &[&str]| {
        let left = place.laptime(&[&["ops"], arguments].concat());
        assert_eq!((left.code, left.out.as_str()), (2, ""), "{}", left.err);
        left.err
    };
    assert!(said(&["net:x", "-i", "1,x"]).contains("\"x\" is no size"));
    for typed in ["0", "-1", "many", "1.5", "9223372036854775808"] {
        assert!(
            said(&["net:x", "--seq", typed])
                .contains("it is the number of tokens, a whole number from 1, such as --seq 512")
        );
    }
    assert!(said(&["net:x", "-i", "0,3"]).contains("\"0\" is no size"));
    assert!(said(&["net:x", "-i", "-1,3"]).contains("\"-1\" is no size"));
    for typed in ["deep", "-1", "1.5"] {
        assert!(
            said(&["net:x", "--depth", typed])
                .contains("levels are a number from 0 (the model alone), or all")
        );
    }
    assert!(
        said(&["net:x", "--by", "op", "--depth", "2"])
            .contains("--depth is for the table of modules; --by op shows operators")
    );
    assert!(
        said(&["net:x", "-f", "tree"])
            .contains("[possible values: text, markdown, json, csv, html]")
    );
    assert!(said(&["net:x", "--device", "cpu"]).contains("--roofline"));
    assert!(
        said(&["net:x", "--dim", "batch=8"]).contains("--dim is for an ONNX file; other models")
    );
    place.file("model.onnx", "");
    assert!(said(&["model.onnx", "--backward"]).contains("--backward is for models of Python"));
    assert!(said(&["net:x", "--trust"]).contains("--trust is for a .pt2 file"));
    place.file("net.pt2", "");
    assert!(said(&["net.pt2"]).contains("hint: if you trust whoever made it: laptime ops net.pt2"));
    let left = place.laptime(&["ops", "gone.pt2", "--trust"]);
    assert_eq!(left.code, 6);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: cannot count gone.pt2: no such file
    hint: TARGET is package.module:factory, a torchvision model's name, or a file: config.json, .pt2, .onnx; nothing is downloaded
    ");
}

#[test]
fn an_option_of_other_tools_is_told_what_takes_its_place() {
    let place = Place::new();
    let said = |option: &str| {
        let left = place.laptime(&["ops", "net:x", option, "4"]);
        assert_eq!((left.code, left.out.as_str()), (2, ""), "{}", left.err);
        assert!(!left.err.contains("as a value"), "{}", left.err);
        left.err
    };
    insta::assert_snapshot!(said("--batch"), @r"
    error: unexpected argument '--batch' found

    Usage: laptime ops <TARGET>

    For more information, try '--help'.
    hint: an input is given by its sizes, the batch first: --input 4,3,224,224, or --input 4,128:int64 for tokens; what an .onnx file leaves open by --dim batch=4
    ");
    assert!(said("--input_size").contains("--input 4,3,224,224"));
    assert!(said("--seq-len").contains("hint: the number of tokens is --seq 512"));
    assert!(said("--dtype").contains("hint: an input's type goes with its sizes"));
    assert!(said("--width").contains("hint: a factory is called without arguments"));
    let near = said("--backwards");
    assert!(near.contains("exists: '--backward'"), "{near}");
    assert!(!near.contains("hint:"), "{near}");
}

/// A model of one product, `y = x·w`, whose batch is open, as the format's bytes.
fn onnx() -> Vec<u8> {
    let field = |number: u8, content: &[u8]| {
        let mut bytes = vec![number << 3 | 2, content.len() as u8];
        bytes.extend(content);
        bytes
    };
    let size = |size: &[u8]| field(1, size);
    let value = |name: &str, sizes: [Vec<u8>; 2]| {
        let shape = sizes.map(|size_of| size(&size_of)).concat();
        let tensor = [vec![8, 1], field(2, &shape)].concat();
        [field(1, name.as_bytes()), field(2, &field(1, &tensor))].concat()
    };
    let node = [
        field(1, b"x"),
        field(1, b"w"),
        field(2, b"y"),
        field(4, b"MatMul"),
    ]
    .concat();
    let open = field(2, b"batch");
    let graph = [
        field(1, &node),
        field(2, b"graph"),
        field(11, &value("x", [open.clone(), vec![8, 3]])),
        field(11, &value("w", [vec![8, 3], vec![8, 4]])),
        field(12, &value("y", [open, vec![8, 4]])),
    ];
    let opset = [vec![0x10], vec![13]].concat();
    [vec![8, 8], field(7, &graph.concat()), field(8, &opset)].concat()
}

#[test]
fn an_onnx_file_is_counted_without_python_once_its_open_sizes_are_given() {
    let place = Place::new();
    std::fs::write(place.path().join("model.onnx"), onnx()).unwrap();
    let ops = |arguments: &[&str]| {
        let mut command = place.command();
        command.env("PATH", "").arg("ops").args(arguments);
        Left::from(command.output().unwrap())
    };
    let left = ops(&["model.onnx"]);
    assert_eq!((left.code, left.out.as_str()), (2, ""));
    insta::assert_snapshot!(left.err, @r#"
    laptime: error: model.onnx: the ONNX file leaves sizes open: "batch" (of "x")
    hint: give them: --dim batch=1
    "#);
    let left = ops(&["model.onnx", "--dim", "size=5"]);
    assert_eq!(left.code, 2);
    assert!(left.err.contains(
        "model.onnx: the ONNX file leaves no size \"size\" open; open are \"batch\" (of \"x\")"
    ));
    let left = ops(&["model.onnx", "--dim", "batch=5", "--dim", "batch=6"]);
    assert_eq!(left.code, 2);
    assert!(left.err.contains("--dim batch is given twice"));
    let left = ops(&["model.onnx", "--dim", "batch=5", "--json"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let counts: serde_json::Value = serde_json::from_str(&left.out).unwrap();
    assert_eq!(counts["total"]["mac"], 5 * 3 * 4);
    assert_eq!(counts["how"], "from the sizes in the file, with batch = 5");
}

#[test]
fn a_file_that_is_no_onnx_model_is_unreadable() {
    let place = Place::new();
    std::fs::write(place.path().join("cut.onnx"), &onnx()[..20]).unwrap();
    let left = place.laptime(&["ops", "cut.onnx"]);
    assert_eq!((left.code, left.out.as_str()), (6, ""));
    assert!(
        left.err
            .starts_with("laptime: error: cut.onnx: the ONNX file is cut off"),
        "{}",
        left.err
    );
    std::fs::create_dir(place.path().join("folder.onnx")).unwrap();
    let left = place.laptime(&["ops", "folder.onnx"]);
    assert_eq!(left.code, 6);
    assert!(
        left.err.contains("folder.onnx: Is a directory"),
        "{}",
        left.err
    );
}

#[test]
fn a_file_where_its_module_should_stand_is_answered_with_the_module() {
    let none =
        r#"{"error": "torchvision has no model", "hint": "did you mean resnet50?", "code": 1}"#;
    let scripted = Scripted::saying(none);
    let place = &scripted.0;
    place.file(
        "mynet.py",
        "import torch\n\nclass Net(torch.nn.Module):\n    def forward(self, x): ...\n\n\
         def _own(): ...\n\ndef make():\n    return Net()\n\ndef train(model): ...\n",
    );
    let hint = |target: &str| {
        let left = scripted.ops(&[target]);
        assert_ne!(left.code, 0);
        let hint = left.err.lines().find(|line| line.starts_with("hint: "));
        hint.unwrap_or_default().to_owned()
    };
    assert_eq!(hint("mynet.py:Net"), "hint: laptime ops mynet:Net");
    let absolute = place.path().join("mynet.py:make").display().to_string();
    assert_eq!(hint(&absolute), "hint: laptime ops mynet:make");
    std::fs::create_dir(place.path().join("models")).unwrap();
    place.file("models/other.py", "");
    let elsewhere = place.path().join("models");
    let absolute = elsewhere.join("other.py:make").display().to_string();
    let cd = format!("hint: cd {} && laptime ops other:make", elsewhere.display());
    assert_eq!(hint(&absolute), cd);
    let works = "laptime ops mynet:make; or in its place Net, train";
    assert_eq!(
        hint("mynet"),
        format!("hint: for the file mynet.py here: {works}")
    );
    assert_eq!(hint("mynet.py"), format!("hint: name it: {works}"));
    assert_eq!(hint("resnet"), "hint: did you mean resnet50?");
    assert!(hint("none.py:make").starts_with("hint: TARGET is "));
}
