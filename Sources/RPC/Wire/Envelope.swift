import Cryptography
import Messages

/// One frame as read from the wire. Request, Response and Item, of which there are many, are lent:
/// their byte ranges point into the frame and nothing is copied. The rest is decoded by
/// libprotobuf-c.
enum Envelope {
    case request(RequestHead)
    case response(ResponseHead)
    case item(ItemHead)
    case other(WireV1.Frame.Kind)
    /// A kind that this version does not know, or a frame without one.
    case unknown

    /// Reads the frame whose bytes lie at `range` of `bytes`.
    init(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, arena: Arena
    ) throws(WireViolation) {
        var reader = WireReader(bytes, range)
        guard let field = try reader.next() else {
            self = .unknown
            return
        }
        if case .bytes(let kind, let body) = field, body.upperBound == range.upperBound {
            switch kind {
            case 2:
                self = .request(try RequestHead(bytes, body))
                return
            case 3:
                self = .response(try ResponseHead(bytes, body))
                return
            case 4:
                self = .item(try ItemHead(bytes, body))
                return
            default: break
            }
        }
        // Several fields, or a rare kind: protobuf's merging rules are the library's business.
        let whole = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard let frame = try? WireV1.Frame(decoding: whole, in: arena) else {
            throw .malformed  // whatever the library found wrong, the answer is the same
        }
        self = Self.rare(frame)
    }

    private static func rare(_ frame: WireV1.Frame) -> Envelope {
        switch frame.kind {
        case .request(let request): .request(RequestHead(request))
        case .response(let response): .response(ResponseHead(response))
        case .item(let item): .item(ItemHead(item))
        case .some(let kind): .other(kind)
        case nil: .unknown
        }
    }
}

/// What a Request says, with its method and payload lent from the frame.
///
/// Read into constants and put together at the end: a struct that is built up is copied on its way
/// out, and every call passes here.
struct RequestHead {
    let call: UInt64
    let timeoutMilliseconds: UInt32
    let more: Bool
    let method: BorrowedBytes
    let payload: BorrowedBytes
    let metadata: Metadata
    /// More than a call may carry: it alone is refused. What is over the limit is not kept.
    let hasTooMuchMetadata: Bool

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(WireViolation) {
        var reader = WireReader(bytes, range)
        var (call, timeout, more) = (UInt64(0), UInt32(0), false)
        var (method, payload) = (0..<0, 0..<0)
        var metadata = CountedMetadata()
        while let field = try reader.next() {
            switch field {
            case .varint(1, let value): call = value
            case .bytes(2, let range): method = range
            case .varint(3, let value): timeout = UInt32(truncatingIfNeeded: value)
            case .bytes(4, let range): metadata.add(try Metadata.Entry(bytes, range))
            case .varint(5, let value): more = value != 0
            case .bytes(6, let range): payload = range
            case .varint(1...6, _), .bytes(1...6, _), .fixed(1...6): throw .malformed
            default: break
            }
        }
        (self.call, timeoutMilliseconds, self.more) = (call, timeout, more)
        (self.method, self.payload) = (.range(method), .range(payload))
        (self.metadata, hasTooMuchMetadata) = (metadata.kept, metadata.isTooMuch)
    }

    init(_ request: WireV1.Request) {
        var metadata = CountedMetadata()
        for field in request.metadata {
            metadata.add(Metadata.Entry(key: field.key, value: field.value))
        }
        (call, timeoutMilliseconds, more) = (request.call, request.timeoutMs, request.more)
        (method, payload) = (.owned(Array(request.method.utf8)), .owned(request.payload))
        (self.metadata, hasTooMuchMetadata) = (metadata.kept, metadata.isTooMuch)
    }
}

extension RequestHead {
    /// Overwrites the request where it lies, once its handler has read it: in the frame at `range` of
    /// `bytes`, and where the payload has an array of its own, there.
    func wipe(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        Cryptography.wipe(UnsafeRawBufferPointer(rebasing: bytes[range]))
        if case .owned(let copy) = payload { copy.withUnsafeBytes { Cryptography.wipe($0) } }
    }
}

/// Metadata as it comes, as far as a call may carry it.
private struct CountedMetadata {
    private(set) var kept = Metadata()
    private(set) var isTooMuch = false
    private var byteCount = 0

    mutating func add(_ entry: Metadata.Entry) {
        byteCount += entry.byteCount
        if byteCount <= FrameLimits.metadataBytesMax,
            kept.entries.count < FrameLimits.metadataEntriesMax
        {
            kept.append(entry)
        } else {
            isTooMuch = true
        }
    }
}

/// What a Response says, with its payload lent from the frame.
struct ResponseHead {
    var call: UInt64 = 0
    var payload = BorrowedBytes.range(0..<0)
    /// The whole message, where it is more than a call and a payload.
    var failure: WireV1.Response?

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(WireViolation) {
        var reader = WireReader(bytes, range)
        var isPlain = true
        while let field = try reader.next() {
            switch field {
            case .varint(1, let value): call = value
            case .bytes(7, let range): payload = .range(range)
            case .fixed(1...7), .varint(7, _), .bytes(1, _): throw .malformed
            default: isPlain = false
            }
        }
        if isPlain { return }
        let body = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard let response = try? WireV1.Response(decoding: body, in: Arena()) else {
            throw .malformed  // whatever the library found wrong, the answer is the same
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

/// What an Item says, with its payload lent from the frame.
struct ItemHead {
    var call: UInt64 = 0
    var isEnd = false
    var payload = BorrowedBytes.range(0..<0)

    /// There is an item in it: an `end` without a payload is only the end.
    var isItem: Bool { !isEnd || !payload.isEmpty }

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(WireViolation) {
        var reader = WireReader(bytes, range)
        while let field = try reader.next() {
            switch field {
            case .varint(1, let value): call = value
            case .varint(2, let value): isEnd = value != 0
            case .bytes(3, let range): payload = .range(range)
            case .varint(1...3, _), .bytes(1...3, _), .fixed(1...3): throw .malformed
            default: break
            }
        }
    }

    init(_ item: WireV1.Item) {
        call = item.call
        isEnd = item.end
        payload = .owned(item.payload)
    }
}

/// Bytes that lie in the frame being read, or, on the rare path, in an array of their own.
enum BorrowedBytes {
    case range(Range<Int>)
    case owned([UInt8])

    var isEmpty: Bool {
        switch self {
        case .range(let range): range.isEmpty
        case .owned(let bytes): bytes.isEmpty
        }
    }

    /// Lends the bytes; `frame` is what `range` points into.
    func withBytes<R>(
        in frame: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R {
        switch self {
        case .range(let range): try body(UnsafeRawBufferPointer(rebasing: frame[range]))
        case .owned(let bytes): try bytes.withUnsafeBytes(body)
        }
    }
}
