import NIOCore
package import ServiceRuntime

/// What travels beside a call: lower-case keys and bytes, 8 KiB in all.
package struct Metadata: Hashable, Sendable {
    /// One key with its value.
    package struct Entry: Hashable, Sendable {
        /// Lower-case name, for instance `idempotency-key`.
        package let key: String
        /// Value; text keys hold UTF-8.
        package let value: [UInt8]

        /// An entry of `key` and `value`.
        package init(key: String, value: [UInt8]) {
            self.key = key
            self.value = value
        }
    }

    /// The keys that the protocol gives a meaning.
    package enum Key {
        /// Makes a retry harmless (G-25).
        package static let idempotencyKey = "idempotency-key"
        /// The person's address; taken only from applications that may assert it.
        package static let clientAddress = "client-address"
        /// What the person reads, as HTTP has it: errors are told in it. It is not handed on: only
        /// the edge speaks to people.
        package static let acceptLanguage = "accept-language"
        /// W3C trace context, handed on as it is.
        package static let traceparent = "traceparent"
    }

    /// In the order of the wire.
    package private(set) var entries: [Entry]

    /// Metadata of these entries.
    package init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// The first value of `key` as text; nil when absent or not UTF-8. Setting replaces it.
    package subscript(key: String) -> String? {
        get {
            guard let entry = entries.first(where: { $0.key == key }) else { return nil }
            return String(validating: entry.value, as: UTF8.self)
        }
        set {
            entries.removeAll { $0.key == key }
            if let newValue { entries.append(Entry(key: key, value: Array(newValue.utf8))) }
        }
    }

    /// The language of the catalogue that the person reads; English where nothing is said.
    package var language: ErrorLanguage {
        self[Key.acceptLanguage].flatMap { AcceptedLanguages($0).best } ?? .english
    }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Whether a call may carry it.
    var isWithinLimits: Bool {
        entries.count <= FrameLimits.metadataEntriesMax
            && entries.reduce(0) { $0 + $1.byteCount } <= FrameLimits.metadataBytesMax
    }

    /// Bytes of the `metadata` fields of a Request.
    var encodedBytes: Int {
        entries.reduce(0) { $0 + FrameWriter.fieldBytes($1.encodedBytes) }
    }

    func write(to out: inout ByteBuffer) {
        for entry in entries {
            out.writeFieldHead(0x22, entry.encodedBytes)
            out.writeFieldHead(0x0a, entry.key.utf8.count)
            out.writeString(entry.key)
            out.writeFieldHead(0x12, entry.value.count)
            out.writeBytes(entry.value)
        }
    }
}

extension Metadata.Entry {
    var byteCount: Int { key.utf8.count + value.count }

    var encodedBytes: Int {
        FrameWriter.fieldBytes(key.utf8.count) + FrameWriter.fieldBytes(value.count)
    }

    /// Reads one `postern.wire.v1.Metadata` that lies at `range` of `bytes`.
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(WireViolation) {
        var reader = WireReader(bytes, range)
        var key = range.lowerBound..<range.lowerBound
        var value: [UInt8] = []
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let range): key = range
            case .bytes(2, let range): value = Array(bytes[range])
            case .varint(1...2, _), .fixed(1...2): throw .malformed
            default: break
            }
        }
        guard let text = String(validating: bytes[key], as: UTF8.self), !text.utf8.contains(0)
        else { throw .malformed }
        self.init(key: text, value: value)
    }
}
