import Messages

@testable import RPC

/// The result of reading one frame's bytes, in a form that both readers have.
enum Reading: Equatable {
    case refused
    /// Rejected because of a text field. The hand-written reader takes a method's bytes as they
    /// are, since bytes that are not text are not a method's name either.
    case refusedText
    case unknown
    case frame(WireV1.Frame.Kind)

    init(byLibrary bytes: [UInt8]) {
        do {
            let frame = try WireV1.Frame(decoding: bytes)
            self = frame.kind.map(Self.frame) ?? .unknown
        } catch MessageError.invalidText {
            self = .refusedText
        } catch {
            self = .refused
        }
    }

    init(byHand bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { frame in
            guard let envelope = try? Envelope(frame, 0..<frame.count, arena: Arena()) else {
                return .refused
            }
            switch envelope {
            case .request(let head): return Self.reading(head, frame)
            case .response(let head): return Self.reading(head, frame)
            case .item(let head): return Self.reading(head, frame)
            case .other(let kind): return .frame(kind)
            case .unknown: return .unknown
            }
        }
    }

    private static func reading(_ head: Envelope.Request, _ frame: UnsafeRawBufferPointer)
        -> Reading
    {
        let method = head.method.withBytes(in: frame) { Array($0) }
        guard let name = String(validating: method, as: UTF8.self), !name.utf8.contains(0) else {
            return .refusedText
        }
        return .frame(
            .request(
                WireV1.Request(
                    call: head.call, method: name, timeoutMs: head.timeoutMilliseconds,
                    metadata: head.metadata.entries.map {
                        WireV1.Metadata(key: $0.key, value: $0.value)
                    }, more: head.more,
                    payload: head.payload.withBytes(in: frame) { Array($0) })))
    }

    private static func reading(_ head: Envelope.Response, _ frame: UnsafeRawBufferPointer)
        -> Reading
    {
        let plain = WireV1.Response(
            call: head.call, payload: head.payload.withBytes(in: frame) { Array($0) })
        return .frame(.response(head.failure ?? plain))
    }

    private static func reading(_ head: Envelope.Item, _ frame: UnsafeRawBufferPointer) -> Reading {
        .frame(
            .item(
                WireV1.Item(
                    call: head.call, end: head.isEnd,
                    payload: head.payload.withBytes(in: frame) { Array($0) })))
    }

    /// libprotobuf-c accepts any wire type for a bool; the hand-written reader requires a varint.
    /// Returns whether that is why the two disagree.
    static func isOddBool(_ bytes: [UInt8], library: Reading, hand: Reading) -> Bool {
        guard hand == .refused else { return false }
        return bytes.withUnsafeBytes { frame in
            // Bytes that do not scan are rejected by both readers, so that they do not disagree.
            guard let body = fields(frame, 0..<frame.count)?.first else { return false }
            switch (library, body.tag) {
            case (.frame(.request), 0x12): return holds(frame, body.range, oddBool: 5)
            case (.frame(.item), 0x22): return holds(frame, body.range, oddBool: 2)
            default: return false
            }
        }
    }

    private static func holds(
        _ frame: UnsafeRawBufferPointer, _ range: Range<Int>, oddBool number: UInt64
    ) -> Bool {
        fields(frame, range)?.contains { $0.tag >> 3 == number && $0.tag & 7 != 0 } ?? false
    }

    /// The fields' tags, with the place of those that are bytes with their length.
    private static func fields(
        _ frame: UnsafeRawBufferPointer, _ range: Range<Int>
    ) -> [(tag: UInt64, range: Range<Int>)]? {
        var reader = WireReader(frame, range)
        var fields: [(tag: UInt64, range: Range<Int>)] = []
        do {
            while let tag = try reader.tag() {
                if tag & 7 == 2 {
                    fields.append((tag, try reader.range()))
                } else {
                    try reader.skip(tag)
                    fields.append((tag, 0..<0))
                }
            }
        } catch {
            return nil  // malformed is an expected result
        }
        return fields
    }

    /// Whether the two readers agree. Both kinds of rejection are the same to a sender.
    func agrees(with other: Reading) -> Bool {
        let refusals: [Reading] = [.refused, .refusedText]
        return self == other || refusals.contains(self) && refusals.contains(other)
    }
}
