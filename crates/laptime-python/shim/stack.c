/* Where the parts of a thread's stack and of its context lie in memory, for reading them from
 * outside: nothing here touches an object of the interpreter's. Compiled against the headers of the
 * interpreter that the extension is built for, internal ones among them.
 *
 * What isn't known is not read: a later CPython may mean something else by the same names, and one
 * that is free-threaded keeps instructions by thread. */
#include <Python.h>
#include <stdint.h>

#if PY_VERSION_HEX >= 0x03100000
#define UNKNOWN "stacks are read of CPython up to 3.15 only"
#elif defined(Py_GIL_DISABLED)
#define UNKNOWN "stacks are not read of a free-threaded Python"
#endif

#ifdef UNKNOWN
const char *laptime_unknown_stacks(void) {
    return UNKNOWN;
}
const void *laptime_stack_layout(void) {
    return NULL;
}
void *laptime_interpreter(void) {
    return NULL;
}
void *laptime_first_state(void *interpreter) {
    return NULL;
}
const void *laptime_lock_holder(void) {
    return NULL;
}
uint64_t laptime_collecting(void) {
    return UINT64_MAX;
}
int laptime_line(void *code, uint64_t code_at, void *table, uint64_t instruction) {
    return 0;
}
int laptime_text(void *head, uint64_t *at, uint64_t *width, uint64_t *length) {
    return 0;
}
#else

#include <frameobject.h>
/* Two headers have it. */
#undef _PyGC_FINALIZED
#include <stddef.h>
#include <string.h>

#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#if PY_VERSION_HEX >= 0x030E0000
#include "internal/pycore_interpframe_structs.h"
#elif PY_VERSION_HEX >= 0x030B0000
#include "internal/pycore_frame.h"
#endif
#include "internal/pycore_context.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"

/* Of a `_gil_runtime_state`, whose first parts have been the same since CPython 3.12. */
typedef struct {
    unsigned long interval;
    PyThreadState *last_holder;
    int locked;
} laptime_gil;

#if PY_VERSION_HEX >= 0x030B0000
typedef struct _PyInterpreterFrame laptime_frame;
#define CODE_LEN offsetof(PyCodeObject, co_code_adaptive)
#else
typedef struct _frame laptime_frame;
#define CODE_LEN sizeof(PyCodeObject)
#endif

/* The same as `Layout` in src/stacks/layout.rs. */
typedef struct {
    uint64_t state_len, state_next, state_context, state_version, state_thread, state_is_native;
    uint64_t state_frame, frame_in_state;
    uint64_t frame_len, frame_code, frame_previous, frame_instruction, frame_owner, frame_locals;
    uint64_t code_len, code_first, code_filename, code_name, code_table, code_locals, bytes_len, bytes_data;
    uint64_t text_len;
    uint64_t gil, gil_holder, gil_locked;
    uint64_t context_len, context_vars, context_entered, context_previous;
    uint64_t root, bitmap, bitmap_items, array_items, type, type_name;
    uint64_t tuple_items, digit, referent;
    uint64_t list_items;
} laptime_layout;

#define NOWHERE UINT64_MAX

static const laptime_layout LAYOUT = {
    .state_len = offsetof(PyThreadState, id) + sizeof(uint64_t),
    .state_next = offsetof(PyThreadState, next),
    .state_context = offsetof(PyThreadState, context),
    .state_version = offsetof(PyThreadState, context_ver),
#if PY_VERSION_HEX >= 0x030B0000
    .state_thread = offsetof(PyThreadState, native_thread_id),
    .state_is_native = 1,
#else
    .state_thread = offsetof(PyThreadState, thread_id),
    .state_is_native = 0,
#endif
#if PY_VERSION_HEX >= 0x030D0000
    .state_frame = offsetof(PyThreadState, current_frame),
    .frame_in_state = NOWHERE,
#elif PY_VERSION_HEX >= 0x030B0000
    .state_frame = offsetof(PyThreadState, cframe),
    .frame_in_state = offsetof(_PyCFrame, current_frame),
#else
    .state_frame = offsetof(PyThreadState, frame),
    .frame_in_state = NOWHERE,
#endif
#if PY_VERSION_HEX >= 0x030D0000
    .frame_code = offsetof(laptime_frame, f_executable),
    .frame_instruction = offsetof(laptime_frame, instr_ptr),
#elif PY_VERSION_HEX >= 0x030B0000
    .frame_code = offsetof(laptime_frame, f_code),
    .frame_instruction = offsetof(laptime_frame, prev_instr),
#else
    .frame_code = offsetof(laptime_frame, f_code),
    .frame_instruction = offsetof(laptime_frame, f_lasti),
#endif
#if PY_VERSION_HEX >= 0x030B0000
    .frame_len = offsetof(laptime_frame, localsplus),
    .frame_previous = offsetof(laptime_frame, previous),
    .frame_owner = offsetof(laptime_frame, owner),
    .frame_locals = offsetof(laptime_frame, localsplus),
    .code_name = offsetof(PyCodeObject, co_qualname),
    .code_locals = offsetof(PyCodeObject, co_localsplusnames),
#else
    .frame_len = offsetof(laptime_frame, f_iblock),
    .frame_previous = offsetof(laptime_frame, f_back),
    .frame_owner = NOWHERE,
    .frame_locals = offsetof(laptime_frame, f_localsplus),
    .code_name = offsetof(PyCodeObject, co_name),
    .code_locals = offsetof(PyCodeObject, co_varnames),
#endif
    .code_len = CODE_LEN,
    .code_first = offsetof(PyCodeObject, co_firstlineno),
    .code_filename = offsetof(PyCodeObject, co_filename),
    .code_table = offsetof(PyCodeObject, co_linetable),
    .bytes_len = offsetof(PyVarObject, ob_size),
    .bytes_data = offsetof(PyBytesObject, ob_sval),
    .text_len = sizeof(PyCompactUnicodeObject),
#if PY_VERSION_HEX >= 0x030C0000
    .gil = offsetof(PyInterpreterState, ceval.gil),
    .gil_holder = offsetof(laptime_gil, last_holder),
    .gil_locked = offsetof(laptime_gil, locked),
#else
    .gil = NOWHERE,
#endif
    .context_len = sizeof(struct _pycontextobject),
    .context_vars = offsetof(struct _pycontextobject, ctx_vars),
    .context_entered = offsetof(struct _pycontextobject, ctx_entered),
#if PY_VERSION_HEX >= 0x030E0000
    .context_previous = offsetof(struct _pycontextobject, ctx_prev),
#else
    .context_previous = NOWHERE,
#endif
    /* The nodes of a context's tree: a head, and then a map of bits and pairs, or 32 nodes. */
    .root = offsetof(PyHamtObject, h_root),
    .bitmap = sizeof(PyVarObject),
    .bitmap_items = sizeof(PyVarObject) + sizeof(PyObject *),
    .array_items = sizeof(PyObject),
    .type = offsetof(PyObject, ob_type),
    .type_name = offsetof(PyTypeObject, tp_name),
    .tuple_items = offsetof(PyTupleObject, ob_item),
#if PY_VERSION_HEX >= 0x030C0000
    .digit = offsetof(PyLongObject, long_value.ob_digit),
#else
    .digit = offsetof(PyLongObject, ob_digit),
#endif
    .referent = offsetof(PyWeakReference, wr_object),
    .list_items = offsetof(PyListObject, ob_item),
};

/* Why the stacks of this interpreter are not read; NULL where they are. From CPython 3.13 on it tells
 * where it has what debuggers look for: another release than the headers' may have it elsewhere. */
const char *laptime_unknown_stacks(void) {
#if PY_VERSION_HEX >= 0x030D0000
    const _Py_DebugOffsets *told = &_PyRuntime.debug_offsets;
    const uint64_t gil = told->interpreter_state.gil_runtime_state;
    const uint64_t places[][2] = {
        {LAYOUT.state_next, told->thread_state.next},
        {LAYOUT.state_thread, told->thread_state.native_thread_id},
        {LAYOUT.state_frame, told->thread_state.current_frame},
        {LAYOUT.frame_len, told->interpreter_frame.localsplus},
        {LAYOUT.frame_code, told->interpreter_frame.executable},
        {LAYOUT.frame_previous, told->interpreter_frame.previous},
        {LAYOUT.frame_instruction, told->interpreter_frame.instr_ptr},
        {LAYOUT.frame_owner, told->interpreter_frame.owner},
        {LAYOUT.code_len, told->code_object.co_code_adaptive},
        {LAYOUT.code_first, told->code_object.firstlineno},
        {LAYOUT.code_filename, told->code_object.filename},
        {LAYOUT.code_name, told->code_object.qualname},
        {LAYOUT.code_table, told->code_object.linetable},
        {LAYOUT.gil, told->interpreter_state.ceval_gil},
        {LAYOUT.gil_holder, told->interpreter_state.gil_runtime_state_holder - gil},
        {LAYOUT.gil_locked, told->interpreter_state.gil_runtime_state_locked - gil},
    };
    for (size_t at = 0; at < sizeof places / sizeof *places; at++) {
        if (places[at][0] != places[at][1]) {
            return "laptime was built for another release of this Python, which has its stacks elsewhere";
        }
    }
#endif
    return NULL;
}

const laptime_layout *laptime_stack_layout(void) {
    return &LAYOUT;
}

/* The interpreter that is there first and last; NULL before and after. */
void *laptime_interpreter(void) {
    return PyInterpreterState_Main();
}

/* The first of an interpreter's thread states: one is read, none is touched. */
void *laptime_first_state(void *interpreter) {
    return interpreter == NULL ? NULL : PyInterpreterState_ThreadHead(interpreter);
}

/* Where the thread state stands that has the lock, before CPython 3.12; NULL later. */
const void *laptime_lock_holder(void) {
#if PY_VERSION_HEX >= 0x030C0000
    return NULL;
#else
    return &_PyRuntime.gilstate.tstate_current;
#endif
}

/* Where the interpreter notes that it collects garbage: an int, right before its lists of garbage and of callbacks. */
uint64_t laptime_collecting(void) {
    return offsetof(PyInterpreterState, gc.collecting);
}

/* The line of an instruction, from copies of its code and its line table, a bytes object with 16
 * bytes of room behind it; that of the code's beginning for one that has none, as what makes a cell.
 * `code_at` is where the code itself stands. */
int laptime_line(void *code, uint64_t code_at, void *table, uint64_t instruction) {
    PyCodeObject *copy = code;
    copy->co_linetable = table;
#if PY_VERSION_HEX >= 0x030C0000
    copy->_co_monitoring = NULL;
#elif PY_VERSION_HEX >= 0x030B0000
    copy->_co_linearray = NULL;
#endif
#if PY_VERSION_HEX >= 0x030B0000
    int64_t at = (int64_t)(instruction - (code_at + CODE_LEN));
#else
    int64_t at = (int64_t)(int32_t)instruction * 2;
#endif
    int line = at > INT32_MAX || at < INT32_MIN ? 0 : PyCode_Addr2Line(copy, (int)at);
    return line > 0 ? line : copy->co_firstlineno;
}

/* Where the characters of a string stand in it, how wide one is, and how many there are, from a copy
 * of its head. Returns 0 for a string in two parts, which names of code are not. */
int laptime_text(void *head, uint64_t *at, uint64_t *width, uint64_t *length) {
    PyASCIIObject *text = head;
    if (!text->state.compact || text->length < 0) {
        return 0;
    }
    *at = text->state.ascii ? sizeof(PyASCIIObject) : sizeof(PyCompactUnicodeObject);
    *width = text->state.kind;
    *length = (uint64_t)text->length;
    return 1;
}

#endif
