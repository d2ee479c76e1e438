import TestSupport
import Testing

@Suite("The fuzzing corpus, run as tests")
struct WebCorpusTests {
    @Test("the reader of PROXY protocol decides once, however the bytes arrive")
    func proxyHeaders() throws { try expectSound("proxy-headers", ProxyHeaderFuzz.finding) }

    @Test("no text of a client makes another address count than the client's or the proxy's")
    func forwardedAddresses() throws {
        try expectSound("forwarded-addresses", ForwardedAddressFuzz.finding)
    }

    @Test("a corpus body split at any place gives the same messages")
    func frames() throws { try expectSound("web-frames", MessageFrameFuzz.finding) }

    @Test("requests of HTTP/1.1 are the same, in whatever pieces they arrive")
    func http1() throws { try expectSound("http1", HTTP1Fuzz.finding) }

    @Test("frames of HTTP/2 are answered by whole frames, and leave no request behind")
    func http2() throws { try expectSound("http2", HTTP2Fuzz.finding) }

    @Test("heads of requests are refused, or name one host, one path and one length")
    func heads() throws { try expectSound("request-heads", RequestHeadFuzz.finding) }

    @Test("JSON is refused, or read as a message whose JSON is the same message")
    func json() throws { try expectSound("request-json", RequestJSONFuzz.finding) }

    @Test("the empty JSON object is every message")
    func emptyObjects() {
        #expect(RequestJSONFuzz.messages.count > 50)
        for name in RequestJSONFuzz.messages.keys {
            let input = RequestJSONFuzz.choice(of: name) + Array("{}".utf8)
            #expect(RequestJSONFuzz.finding(input) == nil, "\(name)")
        }
    }

    private func expectSound(_ name: String, _ finding: ([UInt8]) -> String?) throws {
        let inputs = try CorpusFolder.inputs(CorpusFolder.path(name, from: #filePath))
        #expect(inputs.count > 20)
        for (file, bytes) in inputs { #expect(finding(bytes) == nil, "\(file)") }
    }
}
