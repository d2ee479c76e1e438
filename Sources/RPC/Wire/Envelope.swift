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
struct RequestHead {
    var call: UInt64 = 0
    var timeoutMilliseconds: UInt32 = 0
    var more = false
    var method = LentBytes.range(0..<0)
    var payload = LentBytes.range(0..<0)
    var metadata = Metadata()
    /// More than a call may carry: it alone is refused. What is over the limit is not kept.
    var hasTooMuchMetadata = false

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(WireViolation) {
        var reader = WireReader(bytes, range)
        var metadataBytes = 0
        while let field = try reader.next() {
            switch field {
            case .varint(1, let value): call = value
            case .bytes(2, let range): method = .range(range)
            case .varint(3, let value): timeoutMilliseconds = UInt32(truncatingIfNeeded: value)
            case .bytes(4, let range):
                let entry = try Metadata.Entry(bytes, range)
                metadataBytes += entry.byteCount
                keep(entry, metadataBytes)
            case .varint(5, let value): more = value != 0
            case .bytes(6, let range): payload = .range(range)
            case .varint(1...6, _), .bytes(1...6, _), .fixed(1...6): throw .malformed
            default: break
            }
        }
    }

    init(_ request: WireV1.Request) {
        call = request.call
        timeoutMilliseconds = request.timeoutMs
        more = request.more
        method = .owned(Array(request.method.utf8))
        payload = .owned(request.payload)
        var metadataBytes = 0
        for field in request.metadata {
            let entry = Metadata.Entry(key: field.key, value: field.value)
            metadataBytes += entry.byteCount
            keep(entry, metadataBytes)
        }
    }

    private mutating func keep(_ entry: Metadata.Entry, _ bytesSoFar: Int) {
        if bytesSoFar <= FrameLimits.metadataBytesMax,
            metadata.entries.count < FrameLimits.metadataEntriesMax
        {
            metadata.append(entry)
        } else {
            hasTooMuchMetadata = true
        }
    }
}

/// What a Response says, with its payload lent from the frame.
struct ResponseHead {
    var call: UInt64 = 0
    var payload = LentBytes.range(0..<0)
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
    var payload = LentBytes.range(0..<0)

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
enum LentBytes {
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
