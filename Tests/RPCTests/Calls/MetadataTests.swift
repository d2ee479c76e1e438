import Messages
import Testing

@testable import RPC

@Suite("Metadata of a call")
struct MetadataTests {
    /// The head of a Request with these entries, as the server reads it.
    private func head(_ entries: [WireV1.Metadata], split: Bool = false) throws -> Envelope.Request
    {
        var bytes = WireV1.Frame(kind: .request(WireV1.Request(call: 1, metadata: entries)))
            .encoded()
        // An unknown field after the request makes the reader fall back to libprotobuf-c.
        if split { bytes += [0xa0, 0x06, 0x01] }
        return try bytes.withUnsafeBytes { frame in
            guard case .request(let head) = try Envelope(frame, 0..<frame.count, arena: Arena())
            else { throw WireViolation.malformed }
            return head
        }
    }

    @Test(
        "Protos/README.md, Call: metadata may have 8 KiB of keys and values, not one byte more",
        arguments: [
            false, true,
        ])
    func bytes(split: Bool) throws {
        let entries = (0..<8).map { _ in
            WireV1.Metadata(key: "keys", value: [UInt8](repeating: 1, count: 1_020))
        }
        let most = try head(entries, split: split)
        #expect(!most.hasTooMuchMetadata)
        #expect(most.metadata.entries.count == 8)
        #expect(most.metadata.isWithinLimits)
        let over = try head(entries + [WireV1.Metadata(key: "k")], split: split)
        #expect(over.hasTooMuchMetadata)
        #expect(over.metadata.isWithinLimits)
    }

    @Test(
        "metadata may have 64 entries, and of 30,000 empty ones at most 64 are stored",
        arguments: [
            false, true,
        ])
    func entries(split: Bool) throws {
        let empty = WireV1.Metadata()
        let most = try head(Array(repeating: empty, count: 64), split: split)
        #expect(!most.hasTooMuchMetadata)
        let over = try head(Array(repeating: empty, count: 65), split: split)
        #expect(over.hasTooMuchMetadata)
        // libprotobuf-c rejects that many before they are counted.
        if !split {
            let flood = try head(Array(repeating: empty, count: 30_000))
            #expect(flood.hasTooMuchMetadata)
            #expect(flood.metadata.entries.count == 64)
        }
    }

    @Test("the first value of a key is returned, and setting a key replaces all its values")
    func values() {
        var metadata = Metadata([
            .init(key: "a", value: [0x31]), .init(key: "a", value: [0x32]),
            .init(key: "b", value: [0xff]),
        ])
        #expect(metadata["a"] == "1")
        #expect(metadata["b"] == nil)
        #expect(metadata["c"] == nil)
        metadata["a"] = "3"
        #expect(metadata.entries.filter { $0.key == "a" }.map(\.value) == [[0x33]])
        metadata["a"] = nil
        #expect(metadata.entries.map(\.key) == ["b"])
    }

    @Test("SECURITY.md, Limits: a client-address counts only from callers that may assert one")
    func clientAddress() {
        let metadata = Metadata([.init(key: "client-address", value: Array("192.0.2.7".utf8))])
        for mayAssert in [true, false] {
            let context = CallContext(
                deadline: .zero, metadata: metadata, mayAssertClientAddress: mayAssert)
            #expect(context.clientAddress == (mayAssert ? "192.0.2.7" : nil))
        }
    }

    @Test("an onward call keeps deadline and trace but drops idempotency key and client address")
    func onward() {
        let context = CallContext(
            application: "gateway", deadline: .seconds(5),
            metadata: Metadata([
                .init(key: "traceparent", value: Array("00-1".utf8)),
                .init(key: "idempotency-key", value: Array("k".utf8)),
                .init(key: "client-address", value: Array("192.0.2.7".utf8)),
            ]), mayAssertClientAddress: true)
        let onward = context.onward()
        #expect(onward.deadline == .seconds(5))
        #expect(onward.metadata.entries.map(\.key) == ["traceparent"])
        #expect(onward.application == "")
        #expect(!onward.mayAssertClientAddress)
        #expect(context.onward(idempotencyKey: "mine").idempotencyKey == "mine")
    }
}
