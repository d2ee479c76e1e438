import Messages
import NIOCore
import Testing

@testable import RPC

@Suite("Frames: the hand-written writer agrees with the generated code")
struct FrameWriterTests {
    /// The frame of `kind` by the generated code, with its length in front.
    private func expected(_ kind: WireV1.Frame.Kind) -> [UInt8] {
        let body = WireV1.Frame(kind: kind).encoded()
        return withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + body
    }

    @Test("every kind of frame is written as its length and the generated encoding")
    func anyKind() {
        for kind in SampleFrames.all {
            var out = ByteBuffer()
            FrameWriter.write(kind, to: &out)
            #expect(Array(out.readableBytesView) == expected(kind))
        }
    }

    @Test(
        "an OK Response matches at every size of a varint",
        arguments: [UInt64(1), 127, 128, 1 << 14, 1 << 35, .max], [0, 1, 127, 128, 20_000])
    func response(call: UInt64, count: Int) {
        let message = SessionV1.ValidateAccessTokenRequest(
            accessToken: String(repeating: "a", count: count))
        var out = ByteBuffer(bytes: [9])
        let byteCount = FrameWriter.writeResponse(
            call: call, message, to: &out, frameBytesMax: .max)
        #expect(byteCount == out.readableBytes - 1)
        let response = WireV1.Response(call: call, payload: message.encoded())
        #expect(Array(out.readableBytesView) == [9] + expected(.response(response)))
    }

    @Test(
        "Protos/README.md, Frame: a Response of exactly the peer's limit is sent, a longer one not")
    func responseLimit() {
        let message = SessionV1.ValidateAccessTokenRequest(
            accessToken: String(repeating: "a", count: 200))
        let response = WireV1.Response(call: 300, payload: message.encoded())
        let count = WireV1.Frame(kind: .response(response)).encoded().count
        for (limit, isWritten) in [(count, true), (count - 1, false), (0, false)] {
            var out = ByteBuffer()
            let result = FrameWriter.writeResponse(
                call: 300, message, to: &out, frameBytesMax: limit)
            #expect(result == (isWritten ? out.readableBytes : nil))
            #expect((out.readableBytes > 0) == isWritten)
        }
    }

    @Test(
        "a Request matches with and without metadata and payload",
        arguments: [0, 1, 127, 128, 300], [0, 1, 200])
    func request(metadataBytes: Int, payloadBytes: Int) {
        let value = [UInt8](repeating: 5, count: metadataBytes)
        let payload = [UInt8](repeating: 6, count: payloadBytes)
        let metadata = Metadata(
            metadataBytes == 0 ? [] : [.init(key: "a", value: value), .init(key: "b", value: [1])])
        let outgoing = OutgoingRequest(method: "a.B/C", metadata: metadata, payload: payload)
        let frame = WireV1.Request(
            call: 200, method: "a.B/C", timeoutMs: 70_000,
            metadata: metadata.entries.map { WireV1.Metadata(key: $0.key, value: $0.value) },
            payload: payload)
        let bytes = expected(.request(frame))
        for (limit, isWritten) in [(bytes.count - 4, true), (bytes.count - 5, false)] {
            var out = ByteBuffer()
            let result = FrameWriter.writeRequest(
                call: 200, outgoing, timeoutMilliseconds: 70_000, to: &out, frameBytesMax: limit)
            #expect(result == isWritten)
            #expect(Array(out.readableBytesView) == (isWritten ? bytes : []))
        }
    }

    @Test(
        "an Item, its end and a Credit match at every size of a varint",
        arguments: [UInt64(1), 127, 128, 1 << 35, .max], [0, 1, 127, 128, 20_000])
    func streams(call: UInt64, count: Int) {
        let message = SessionV1.ValidateAccessTokenRequest(
            accessToken: String(repeating: "a", count: count))
        let payload = message.encoded()
        let item = expected(.item(WireV1.Item(call: call, payload: payload)))
        var (packed, bytes, end, credit) = (ByteBuffer(), ByteBuffer(), ByteBuffer(), ByteBuffer())
        let sample = WireV1.Credit(call: call, items: UInt32(max(1, count)))
        let byteCount = FrameWriter.itemBytes(call: call, payloadBytes: payload.count)
        FrameWriter.writeItem(call: call, message, to: &packed, byteCount: byteCount)
        FrameWriter.writeItem(call: call, payload, to: &bytes, byteCount: byteCount)
        FrameWriter.writeEnd(call: call, to: &end)
        FrameWriter.writeCredit(call: call, items: sample.items, to: &credit)
        #expect(Array(packed.readableBytesView) == item)
        #expect(Array(bytes.readableBytesView) == item)
        #expect(byteCount == item.count - 4)
        #expect(
            Array(end.readableBytesView) == expected(.item(WireV1.Item(call: call, end: true))))
        #expect(Array(credit.readableBytesView) == expected(.credit(sample)))
    }

    @Test("a Request with items to follow says so, and its size is exact", arguments: [0, 200])
    func more(payloadBytes: Int) {
        let payload = [UInt8](repeating: 6, count: payloadBytes)
        let outgoing = OutgoingRequest(
            method: "a.B/C", metadata: Metadata(), payload: payload, more: true)
        let bytes = expected(
            .request(
                WireV1.Request(
                    call: 200, method: "a.B/C", timeoutMs: 70_000, more: true, payload: payload)))
        for (limit, isWritten) in [(bytes.count - 4, true), (bytes.count - 5, false)] {
            var out = ByteBuffer()
            let result = FrameWriter.writeRequest(
                call: 200, outgoing, timeoutMilliseconds: 70_000, to: &out, frameBytesMax: limit)
            #expect(result == isWritten)
            #expect(Array(out.readableBytesView) == (isWritten ? bytes : []))
        }
    }

    @Test(
        "a frame is the same whether it fits into the free memory or not", arguments: [0, 1, 150])
    func room(payloadBytes: Int) {
        let payload = [UInt8](repeating: 6, count: payloadBytes)
        let bytes = expected(.response(WireV1.Response(call: 300, payload: payload)))
        for room in 0...bytes.count + 1 {
            var out = ByteBuffer()
            out.reserveCapacity(256)
            out.writeRepeatingByte(9, count: out.capacity - room)
            let before = out.readableBytes
            let result = FrameWriter.writeResponse(
                call: 300, payload, to: &out, frameBytesMax: bytes.count - 4)
            #expect(result == bytes.count)
            #expect(Array(out.readableBytesView.dropFirst(before)) == bytes)
        }
    }

    @Test("the computed size of a varint matches the library's")
    func varintBytes() {
        for shift in 0..<64 {
            for value in [UInt64(1) << shift, (UInt64(1) << shift) - 1] where value > 0 {
                let ping = WireV1.Ping(token: value)
                #expect(WireSize.ofVarint(value) == ping.encoded().count - 1)
            }
        }
        #expect(WireSize.ofVarint(0) == 1)
    }
}
