import RPC
import Testing

@Suite("W3C trace context: traceparent")
struct TraceParentTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    @Test("a traceparent is written as it was read", arguments: ["00", "01"])
    func whole(flags: String) throws {
        let text = "00-\(Self.trace)-\(Self.span)-\(flags)"
        let parent = try #require(TraceParent(text))
        #expect(parent.traceID == Self.trace)
        #expect(parent.spanID == Self.span)
        #expect(parent.isSampled == (flags == "01"))
        #expect(parent.text == text)
    }

    @Test("a child has its parent's trace and sampling, and a span id of its own")
    func child() throws {
        let parent = try #require(TraceParent("00-\(Self.trace)-\(Self.span)-01"))
        let child = parent.child(spanID: [1, 2, 3, 4, 5, 6, 7, 255])
        #expect(child.text == "00-\(Self.trace)-01020304050607ff-01")
    }

    @Test("the known fields of a later version are read")
    func later() throws {
        let parent = try #require(TraceParent("cc-\(Self.trace)-\(Self.span)-03-what-else"))
        #expect(parent.isSampled)
        #expect(parent.text == "00-\(Self.trace)-\(Self.span)-01")
    }

    @Test(
        "a malformed traceparent is ignored",
        arguments: [
            "", "-", "00", "00---", "00-\(trace)-\(span)", "00-\(trace)-\(span)-01-more",
            "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01", "00-\(trace)-\(span)-1",
            "00-\(trace)-\(span)-0g", "00-\(trace.uppercased())-\(span)-01",
            "00-\(trace)x-\(span)-01", "00-\(trace.dropLast())-\(span)-01",
            "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
            "00-\(trace)-\(span)-01 ", "00-\(trace)-\(span)-+1",
            "01-\(trace)-\(span)-01-" + String(repeating: "x", count: 8_000),
        ])
    func malformed(text: String) {
        #expect(TraceParent(text) == nil)
    }
}
