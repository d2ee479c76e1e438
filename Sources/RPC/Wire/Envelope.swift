import Cryptography
import Messages

/// One frame as read from the wire. The frequent kinds Request, Response and Item are borrowed:
/// their byte ranges point into the frame and nothing is copied. All other kinds are decoded by
/// libprotobuf-c.
enum Envelope {
    case request(Request)
    case response(Response)
    case item(Item)
    case other(WireV1.Frame.Kind)
    /// A kind that this version does not know, or a frame without a kind.
    case unknown

    /// Reads the frame at `range` of `bytes`. It is inlined, so that the fields are not copied from
    /// one envelope to the next on their way out.
    /// - Throws: `WireViolation.malformed`.
    @inline(__always)
    init(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, arena: Arena
    ) throws(WireViolation) {
        var reader = WireReader(bytes, range)
        guard let tag = try reader.tag() else {
            self = .unknown
            return
        }
        if tag == 0x12 || tag == 0x1a || tag == 0x22 {
            let body = try reader.range()
            if body.upperBound == range.upperBound {
                switch tag {
                case 0x12: self = .request(try Request(bytes, body))
                case 0x1a: self = .response(try Response(bytes, body))
                default: self = .item(try Item(bytes, body))
                }
                return
            }
        }
        // Several fields, or a rare kind: libprotobuf-c applies protobuf's merging rules.
        let whole = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard let frame = try? WireV1.Frame.decode(whole, in: arena) else {
            throw .malformed  // every decoding error has the same result
        }
        self = Self.rare(frame)
    }

    private static func rare(_ frame: WireV1.Frame) -> Envelope {
        switch frame.kind {
        case .request(let request): .request(Request(request))
        case .response(let response): .response(Response(response))
        case .item(let item): .item(Item(item))
        case .some(let kind): .other(kind)
        case nil: .unknown
        }
    }

    /// Bytes in the frame being read or, for rare frames, in their own array.
    enum BorrowedBytes {
        case range(Range<Int>)
        case owned([UInt8])

        var isEmpty: Bool {
            switch self {
            case .range(let range): range.isEmpty
            case .owned(let bytes): bytes.isEmpty
            }
        }

        /// Calls `body` with the bytes; `frame` is the memory that `range` refers to.
        /// - Throws: what `body` throws.
        func withBytes<R>(
            in frame: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> R
        ) rethrows -> R {
            switch self {
            case .range(let range): try body(UnsafeRawBufferPointer(rebasing: frame[range]))
            case .owned(let bytes): try bytes.withUnsafeBytes(body)
            }
        }
    }

    /// The fields of a Request. Method and payload are borrowed from the frame.
    ///
    /// The fields are read into local variables and assigned at the end: a struct that is filled
    /// field by field is copied when it is returned, and every call runs this code.
    struct Request {
        let call: UInt64
        let timeoutMilliseconds: UInt32
        let more: Bool
        let method: BorrowedBytes
        let payload: BorrowedBytes
        var metadata: Metadata
        /// The metadata is over the limit; only this call is rejected. Entries over the limit are
        /// not stored.
        let hasTooMuchMetadata: Bool

        init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(WireViolation) {
            var reader = WireReader(bytes, range)
            var (call, timeout, more) = (UInt64(0), UInt32(0), false)
            var (method, payload) = (0..<0, 0..<0)
            var metadata = CountedMetadata()
            while let tag = try reader.tag() {
                switch tag {
                case 0x08: call = try reader.varint()
                case 0x12: method = try reader.range()
                case 0x18: timeout = UInt32(truncatingIfNeeded: try reader.varint())
                case 0x22: metadata.add(try Metadata.Entry(bytes, try reader.range()))
                case 0x28: more = try reader.varint() != 0
                case 0x32: payload = try reader.range()
                default: try reader.skip(tag, known: 6)
                }
            }
            (self.call, timeoutMilliseconds, self.more) = (call, timeout, more)
            (self.method, self.payload) = (.range(method), .range(payload))
            (self.metadata, hasTooMuchMetadata) = (metadata.accepted, metadata.isTooMuch)
        }

        init(_ request: WireV1.Request) {
            var metadata = CountedMetadata()
            for field in request.metadata {
                metadata.add(Metadata.Entry(key: field.key, value: field.value))
            }
            (call, timeoutMilliseconds, more) = (request.call, request.timeoutMs, request.more)
            (method, payload) = (.owned(Array(request.method.utf8)), .owned(request.payload))
            (self.metadata, hasTooMuchMetadata) = (metadata.accepted, metadata.isTooMuch)
        }

        /// Overwrites the request in memory after its handler has decoded it: in the frame at
        /// `range` of `bytes`, and in the payload's own array if it has one.
        func wipe(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
            Cryptography.wipe(UnsafeRawBufferPointer(rebasing: bytes[range]))
            if case .owned(let copy) = payload { copy.withUnsafeBytes { Cryptography.wipe($0) } }
        }
    }

    /// Collects metadata up to the limits of a call.
    private struct CountedMetadata {
        private(set) var accepted = Metadata()
        private(set) var isTooMuch = false
        private var byteCount = 0

        mutating func add(_ entry: Metadata.Entry) {
            byteCount += entry.byteCount
            if byteCount <= FrameLimits.metadataBytesMax,
                accepted.entries.count < FrameLimits.metadataEntriesMax
            {
                accepted.append(entry)
            } else {
                isTooMuch = true
            }
        }
    }

    /// The fields of a Response. The payload is borrowed from the frame.
    struct Response {
        var call: UInt64 = 0
        var payload = BorrowedBytes.range(0..<0)
        /// The whole message, when it has more fields than a call and a payload.
        var failure: WireV1.Response?

        init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(WireViolation) {
            var reader = WireReader(bytes, range)
            var isPlain = true
            while let tag = try reader.tag() {
                switch tag {
                case 0x08: call = try reader.varint()
                case 0x3a: payload = .range(try reader.range())
                default:
                    isPlain = false
                    try reader.skip(tag)
                }
            }
            if isPlain { return }
            let body = UnsafeRawBufferPointer(rebasing: bytes[range])
            guard let response = try? WireV1.Response.decode(body, in: Arena()) else {
                throw .malformed  // every decoding error has the same result
            }
            payload = .owned(response.payload)
            failure = response
        }

        init(_ response: WireV1.Response) {
            call = response.call
            payload = .owned(response.payload)
            failure = response
        }
    }

    /// The fields of an Item. The payload is borrowed from the frame.
    struct Item {
        var call: UInt64 = 0
        var isEnd = false
        var payload = BorrowedBytes.range(0..<0)

        /// Whether the frame contains an item. A frame with `end` and without a payload is only the
        /// end.
        var isItem: Bool { !isEnd || !payload.isEmpty }

        init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(WireViolation) {
            var reader = WireReader(bytes, range)
            while let tag = try reader.tag() {
                switch tag {
                case 0x08: call = try reader.varint()
                case 0x10: isEnd = try reader.varint() != 0
                case 0x1a: payload = .range(try reader.range())
                default: try reader.skip(tag, known: 3)
                }
            }
        }

        init(_ item: WireV1.Item) {
            call = item.call
            isEnd = item.end
            payload = .owned(item.payload)
        }
    }
}
