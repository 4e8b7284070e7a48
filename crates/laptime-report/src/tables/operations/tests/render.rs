use super::*;
use crate::tables::operations::{By, examples};

fn shown(format: Format, view: &OperationsView) -> String {
    let (counts, subject) = examples::network();
    render(&counts, &subject, None, format, view).into_string()
}

#[test]
fn a_networks_modules_as_text() {
    insta::assert_snapshot!(shown(Format::Text, &OperationsView::default()), @"
    network  1.23 M parameters · 581 MMAC · 1.16 GFLOP · coverage 100 %
    input 1×3×224×224 float32; from shapes, without weights in memory

    quantity              forward          exact
    ────────────────────────────────────────────
    MAC                   581 M      580,947,968
    FLOP                 1.16 G    1,161,895,936
    other FLOP           1.61 M        1,606,632
    total FLOP           1.16 G    1,163,502,568
    executed FLOP        1.16 G    1,161,895,936
    compares              803 k          802,816
    bytes read           17.4 MiB     18,272,976
    bytes written        5.81 MiB      6,090,992
    total FLOP per byte  47.8
    operations             14                 14

    by module
    module                  params  calls    MAC    FLOP  other FLOP     bytes  FLOP/byte   share
    ───────────────────────────────────────────────────────────────────────────────────────────────────
    Network                 1.23 M      1  581 M  1.16 G      1.61 M  23.2 MiB      47.8    100 % █████
    ├─ conv (Conv2d)        9.41 k      1  118 M   236 M         0    3.67 MiB      61.3   20.3 % █
    ├─ relu (ReLU)             0        1    0       0           0    6.12 MiB       0      0.0 %
    ├─ layers (Sequential)  1.00 M      1  462 M   925 M      1.61 M  11.5 MiB      77.0   79.6 % ████
    │  ├─ 0 (Block)          500 k      1  231 M   462 M       401 k  4.97 MiB      88.8   39.8 % ██
    │  └─ 1 (Block)          500 k      1  231 M   462 M      1.20 M  6.50 MiB      68.0   39.8 % ██
    └─ head (Linear)         513 k      1  512 k  1.02 M      1.00 k  1.96 MiB       0.50   0.1 %
    share is of all MAC; a module's numbers hold those of the modules in it
    1 module below depth 2 not shown; --depth all shows all
    1 module without parameters and operations not shown

    conventions
    · 1 MAC = 2 FLOP; MAC and FLOP are of matrix products, convolutions and attention, dense: padding
      and masks are not taken off
    · other arithmetic, integer operations, transcendental functions and compares have columns of their
      own; total FLOP = FLOP + other FLOP
    · backward is what autograd runs; recomputed forwards and what fused kernels repeat are executed
      FLOP, not FLOP
    · bytes are compulsory traffic: each input read once, each output written once, views none
    ");
}

#[test]
fn the_first_line_wraps_in_a_narrow_terminal_and_loses_nothing() {
    let view = OperationsView {
        width: Some(50),
        ..OperationsView::default()
    };
    let text = shown(Format::Text, &view);
    let head: Vec<&str> = text.lines().take(2).collect();
    assert!(head.iter().all(|line| line.chars().count() <= 50), "{text}");
    let said = head.join(" ");
    assert!(
        said.contains("1.23 M parameters · 581 MMAC · 1.16 GFLOP"),
        "{text}"
    );
}

#[test]
fn operators_as_text_in_80_columns() {
    let view = OperationsView {
        by: Some(By::Operator),
        width: Some(80),
        ..OperationsView::default()
    };
    insta::assert_snapshot!(shown(Format::Text, &view), @"
    network  1.23 M parameters · 581 MMAC · 1.16 GFLOP · coverage 100 %
    input 1×3×224×224 float32; from shapes, without weights in memory

    quantity              forward          exact
    ────────────────────────────────────────────
    MAC                   581 M      580,947,968
    FLOP                 1.16 G    1,161,895,936
    other FLOP           1.61 M        1,606,632
    total FLOP           1.16 G    1,163,502,568
    executed FLOP        1.16 G    1,161,895,936
    compares              803 k          802,816
    bytes read           17.4 MiB     18,272,976
    bytes written        5.81 MiB      6,090,992
    total FLOP per byte  47.8
    operations             14                 14

    by operator
    operator                 calls    MAC    FLOP     bytes  FLOP/byte   share
    ────────────────────────────────────────────────────────────────────────────────
    aten::convolution            9  580 M  1.16 G  13.6 MiB      81.4   99.9 % █████
    aten::addmm                  2  512 k  1.02 M  1.96 MiB       0.50   0.1 %
    aten::native_batch_norm      1    0       0    1.53 MiB              0.0 %
    aten::relu                   1    0       0    6.12 MiB              0.0 %
    share is of all MAC
    1 operator that neither computes nor moves bytes (views) not shown; JSON and CSV
    have all
    left out to fit the width: other FLOP

    conventions
    · 1 MAC = 2 FLOP; MAC and FLOP are of matrix products, convolutions and
      attention, dense: padding and masks are not taken off
    · other arithmetic, integer operations, transcendental functions and compares
      have columns of their own; total FLOP = FLOP + other FLOP
    · backward is what autograd runs; recomputed forwards and what fused kernels
      repeat are executed FLOP, not FLOP
    · bytes are compulsory traffic: each input read once, each output written once,
      views none
    ");
}

#[test]
fn names_are_cut_by_a_narrow_terminal_alone() {
    let name = "aten::upsample_bilinear2d_aa_backward";
    let (mut counts, _) = examples::network();
    counts.by_op[0].name = name.to_owned();
    let shown = |width: Option<usize>| {
        let view = OperationsView {
            by: Some(By::Operator),
            width,
            ..OperationsView::default()
        };
        render(&counts, &Subject::default(), None, Format::Text, &view)
    };
    assert!(!shown(Some(60)).contains(name));
    // Columns give way before it does.
    for width in [Some(80), Some(120), Some(160), Some(200), None] {
        assert!(shown(width).contains(name), "{width:?}");
    }
}

#[test]
fn every_digit_on_demand() {
    let view = OperationsView {
        by: Some(By::Operator),
        exact: true,
        ..OperationsView::default()
    };
    insta::assert_snapshot!(shown(Format::Text, &view), @"
    network  1.23 M parameters · 581 MMAC · 1.16 GFLOP · coverage 100 %
    input 1×3×224×224 float32; from shapes, without weights in memory

    quantity                     forward
    ────────────────────────────────────
    MAC                    580,947,968
    FLOP                 1,161,895,936
    other FLOP               1,606,632
    total FLOP           1,163,502,568
    executed FLOP        1,161,895,936
    compares                   802,816
    bytes read              18,272,976
    bytes written            6,090,992
    total FLOP per byte             47.8
    operations                      14

    by operator
    operator                 calls          MAC           FLOP       bytes  FLOP/byte   share
    ──────────────────────────────────────────────────────────────────────────────────────────────────
    aten::convolution            9  580,435,968  1,160,871,936  14,279,808      81.4   99.9 % ████████
    aten::addmm                  2      512,000      1,024,000   2,056,000       0.50   0.1 %
    aten::native_batch_norm      1            0              0   1,605,632              0.0 %
    aten::relu                   1            0              0   6,422,528              0.0 %
    share is of all MAC
    1 operator that neither computes nor moves bytes (views) not shown; JSON and CSV have all
    left out to fit the width: other FLOP

    conventions
    · 1 MAC = 2 FLOP; MAC and FLOP are of matrix products, convolutions and attention, dense: padding
      and masks are not taken off
    · other arithmetic, integer operations, transcendental functions and compares have columns of their
      own; total FLOP = FLOP + other FLOP
    · backward is what autograd runs; recomputed forwards and what fused kernels repeat are executed
      FLOP, not FLOP
    · bytes are compulsory traffic: each input read once, each output written once, views none
    ");
}

#[test]
fn a_step_that_is_counted_in_part_says_so() {
    let (counts, subject) = examples::partly();
    let text = render(
        &counts,
        &subject,
        None,
        Format::Text,
        &OperationsView::default(),
    );
    insta::assert_snapshot!(text, @"
    operations  parameters – (no weights known) · 21.0 TMAC · 42.0 TFLOP · coverage 85.7 %

    quantity              forward  backward  recompute       all               exact
    ────────────────────────────────────────────────────────────────────────────────
    MAC                  7.00 T    14.0 T        0      21.0 T    21,000,000,000,000
    FLOP                 14.0 T    28.0 T        0      42.0 T    42,000,000,000,000
    other FLOP              0         0          0         0                       0
    total FLOP           14.0 T    28.0 T        0      42.0 T    42,000,000,000,000
    executed FLOP        14.0 T    35.0 T     14.0 T    63.0 T    63,000,000,000,000
    bytes read           1.05 GiB  2.10 GiB   1.05 GiB  4.19 GiB       4,500,000,000
    bytes written         358 MiB   715 MiB    358 MiB  1.40 GiB       1,500,000,000
    total FLOP per byte  9.33 k    9.33 k        0      7.00 k
    operations              5         6          3        14                      14
    2 of 14 operations are not counted: every sum here is at least so much
    executed, by type: bfloat16 31.0 TMAC, float32 500 GMAC

    by operator
    operator    calls     MAC    FLOP  other FLOP     bytes  FLOP/byte  coverage  share
    ────────────────────────────────────────────────────────────────────────────────────────────────
    aten::mm       12  21.0 T  42.0 T           0  5.59 GiB     7.00 k     100 %  100 % ████████████
    mine::scan      2     –       –    –              –         –          0.0 %    –
    share is of all MAC
    – its cost is not known; see what is not counted

    not counted
    no formula is known for it; register one
    operator    calls  elements
    ───────────────────────────
    mine::scan      1    4.19 M

    it runs in a loop whose number of rounds is not known
    operator  calls  elements
    ─────────────────────────
    aten::mm      1    1.02 k
    one round of aten::mm: 1.00 MMAC, 2.00 MFLOP in all

    conventions
    · 1 MAC = 2 FLOP; MAC and FLOP are of matrix products, convolutions and attention, dense: padding
      and masks are not taken off
    · other arithmetic, integer operations, transcendental functions and compares have columns of their
      own; total FLOP = FLOP + other FLOP
    · backward is what autograd runs; recomputed forwards and what fused kernels repeat are executed
      FLOP, not FLOP
    · bytes are compulsory traffic: each input read once, each output written once, views none
    ");
}

#[test]
fn a_network_as_markdown() {
    insta::assert_snapshot!(shown(Format::Markdown, &OperationsView::default()), @"
    ## network

    1.23 M parameters · 581 MMAC · 1.16 GFLOP · coverage 100 %  
    input 1×3×224×224 float32; from shapes, without weights in memory

    | quantity | forward | exact |
    | :--- | ---: | ---: |
    | MAC | 581 M | 580,947,968 |
    | FLOP | 1.16 G | 1,161,895,936 |
    | other FLOP | 1.61 M | 1,606,632 |
    | total FLOP | 1.16 G | 1,163,502,568 |
    | executed FLOP | 1.16 G | 1,161,895,936 |
    | compares | 803 k | 802,816 |
    | bytes read | 17.4 MiB | 18,272,976 |
    | bytes written | 5.81 MiB | 6,090,992 |
    | total FLOP per byte | 47.8 |  |
    | operations | 14 | 14 |

    ### By module

    | module | params | calls | MAC | FLOP | other FLOP | bytes | FLOP/byte | share |
    | :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    | Network | 1.23 M | 1 | 581 M | 1.16 G | 1.61 M | 23.2 MiB | 47.8 | 100 % |
    | &emsp;conv (Conv2d) | 9.41 k | 1 | 118 M | 236 M | 0 | 3.67 MiB | 61.3 | 20.3 % |
    | &emsp;relu (ReLU) | 0 | 1 | 0 | 0 | 0 | 6.12 MiB | 0 | 0.0 % |
    | &emsp;layers (Sequential) | 1.00 M | 1 | 462 M | 925 M | 1.61 M | 11.5 MiB | 77.0 | 79.6 % |
    | &emsp;&emsp;0 (Block) | 500 k | 1 | 231 M | 462 M | 401 k | 4.97 MiB | 88.8 | 39.8 % |
    | &emsp;&emsp;1 (Block) | 500 k | 1 | 231 M | 462 M | 1.20 M | 6.50 MiB | 68.0 | 39.8 % |
    | &emsp;head (Linear) | 513 k | 1 | 512 k | 1.02 M | 1.00 k | 1.96 MiB | 0.50 | 0.1 % |

    share is of all MAC; a module's numbers hold those of the modules in it

    1 module below depth 2 not shown; --depth all shows all

    1 module without parameters and operations not shown

    ### Conventions

    - 1 MAC = 2 FLOP; MAC and FLOP are of matrix products, convolutions and attention, dense: padding and masks are not taken off
    - other arithmetic, integer operations, transcendental functions and compares have columns of their own; total FLOP = FLOP + other FLOP
    - backward is what autograd runs; recomputed forwards and what fused kernels repeat are executed FLOP, not FLOP
    - bytes are compulsory traffic: each input read once, each output written once, views none
    ");
}

#[test]
fn a_network_as_csv() {
    insta::assert_snapshot!(shown(Format::Csv, &OperationsView::default()), @r"
    table,name,kind,phase,params,calls,counted_calls,zero_calls,uncounted_calls,mac,flop,active_flop,executed_flop,other_flop,total_flop,integer_op,transcendental,compare,bytes_read,bytes_written,communication_bytes,intensity_flop_per_byte,elements,reason
    total,,,all,1234567,14,14,1,0,580947968,1161895936,1161895936,1161895936,1606632,1163502568,0,0,802816,18272976,6090992,0,47.755052378988516,,
    operator,aten::convolution,,all,,9,9,0,0,580435968,1160871936,1160871936,1160871936,802816,1161674752,0,0,0,10709856,3569952,0,81.35086634218051,,
    operator,aten::addmm,,all,,2,2,0,0,512000,1024000,1024000,1024000,1000,1025000,0,0,0,1542000,514000,0,0.4985408560311284,,
    operator,aten::native_batch_norm,,all,,1,1,0,0,0,0,0,0,802816,802816,0,0,0,1204224,401408,0,0.5,,
    operator,aten::relu,,all,,1,1,0,0,0,0,0,0,0,0,0,0,802816,4816896,1605632,0,0,,
    operator,aten::view,,all,,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,,,
    module,,Network,all,1234567,14,14,1,0,580947968,1161895936,1161895936,1161895936,1606632,1163502568,0,0,802816,18272976,6090992,0,47.755052378988516,,
    module,conv,Conv2d,all,9408,1,1,0,0,118013952,236027904,236027904,236027904,0,236027904,0,0,0,2888544,962848,0,61.28379141879092,,
    module,relu,ReLU,all,0,1,1,0,0,0,0,0,0,0,0,0,0,802816,4816896,1605632,0,0,,
    module,layers,Sequential,all,1000000,9,9,0,0,462422016,924844032,924844032,924844032,1605632,926449664,0,0,0,9025536,3008512,0,76.9857045609258,,
    module,layers.0,Block,all,500000,4,4,0,0,231211008,462422016,462422016,462422016,401408,462823424,0,0,0,3910656,1303552,0,88.76197957580519,,
    module,layers.1,Block,all,500000,5,5,0,0,231211008,462422016,462422016,462422016,1204224,463626240,0,0,0,5114880,1704960,0,67.98198198198199,,
    module,layers.1.norm,BatchNorm2d,all,128,1,1,0,0,0,0,0,0,802816,802816,0,0,0,1204224,401408,0,0.5,,
    module,drop,Dropout,all,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,,
    module,head,Linear,all,513000,2,2,0,0,512000,1024000,1024000,1024000,1000,1025000,0,0,0,1542000,514000,0,0.4985408560311284,,
    module_own,,Network,all,,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,,,
    module_own,conv,Conv2d,all,,1,1,0,0,118013952,236027904,236027904,236027904,0,236027904,0,0,0,2888544,962848,0,61.28379141879092,,
    module_own,relu,ReLU,all,,1,1,0,0,0,0,0,0,0,0,0,0,802816,4816896,1605632,0,0,,
    module_own,layers,Sequential,all,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,,
    module_own,layers.0,Block,all,,4,4,0,0,231211008,462422016,462422016,462422016,401408,462823424,0,0,0,3910656,1303552,0,88.76197957580519,,
    module_own,layers.1,Block,all,,4,4,0,0,231211008,462422016,462422016,462422016,401408,462823424,0,0,0,3910656,1303552,0,88.76197957580519,,
    module_own,layers.1.norm,BatchNorm2d,all,,1,1,0,0,0,0,0,0,802816,802816,0,0,0,1204224,401408,0,0.5,,
    module_own,drop,Dropout,all,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,,
    module_own,head,Linear,all,,2,2,0,0,512000,1024000,1024000,1024000,1000,1025000,0,0,0,1542000,514000,0,0.4985408560311284,,
    ");
}

#[test]
fn its_roofline_as_text() {
    let (counts, subject) = examples::network();
    let roofline = examples::roofline(&counts);
    let text = render(
        &counts,
        &subject,
        Some(&roofline),
        Format::Text,
        &OperationsView::default(),
    );
    let (_, figure) = text.split_once("roofline\n").unwrap();
    insta::assert_snapshot!(figure, @"
    1.20 TFLOP/s (measured float32 matmul peak of cpu) and 24.0 GB/s (measured memory bandwidth of cpu):
    below 50.0 FLOP/byte memory is the limit, above it arithmetic
            │
            │
            │                                                             ⣀⡠⠤⠒⠒31⠒⠒2⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒
        1 T │                                                       ⢀⣀⠤⠔⠒⠉
            │                                                  ⣀⡠⠤⠒⠉⠁
            │                                            ⢀⣀⠤⠒⠊⠉
            │                                       ⣀⠤⠔⠒⠉⠁
      100 G │                                 ⣀⡠⠤⠒⠊⠉
            │                           ⢀⣀⠤⠔⠒⠉
            │                      ⣀⡠⠤⠒⠉⠁
            │                ⢀⣀⠤⠒⠊⠉
       10 G │           ⣀⠤4⠒⠉⠁
            │     ⣀⡠⠤⠒⠊⠉
            │⣀⠤⠔⠒⠉
            └────────────────────┴─────────────────────────┴─────────────────────────┴───────────
                                 1                        10                        100
             FLOP/s over FLOP/byte; the roof: 24.0 GB/s and 1.20 TFLOP/s
    point       FLOP/byte    bound by  at most FLOP/s  at least
    ───────────────────────────────────────────────────────────
    1 layers.1      68.0   arithmetic          1.20 T    386 µs
    2 layers.0      88.8   arithmetic          1.20 T    386 µs
    3 conv          61.3   arithmetic          1.20 T    197 µs
    4 head           0.50      memory          12.0 G   85.7 µs
    bytes are those of each operator by itself: what is fused moves fewer
    1 point without floating-point work not shown

    conventions
    · 1 MAC = 2 FLOP; MAC and FLOP are of matrix products, convolutions and attention, dense: padding
      and masks are not taken off
    · other arithmetic, integer operations, transcendental functions and compares have columns of their
      own; total FLOP = FLOP + other FLOP
    · backward is what autograd runs; recomputed forwards and what fused kernels repeat are executed
      FLOP, not FLOP
    · bytes are compulsory traffic: each input read once, each output written once, views none
    ");
}

#[test]
fn an_input_is_its_label_its_sizes_and_its_type() {
    assert_eq!(
        Subject::input("", &[1, 3, 224, 224], "float32"),
        "1×3×224×224 float32"
    );
    assert_eq!(Subject::input("ids", &[7], "int64"), "ids [7] int64");
    assert_eq!(
        Subject::input("scale", &[], "float16"),
        "scale scalar float16"
    );
}
