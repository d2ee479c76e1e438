package import ServiceRuntime

/// Metadata of a call: lower-case keys and byte values, 8 KiB in total.
package struct Metadata: Hashable, Sendable {
    /// One key with its value.
    package struct Entry: Hashable, Sendable {
        /// Lower-case name, for example `idempotency-key`.
        package let key: String
        /// Value; text keys hold UTF-8.
        package let value: [UInt8]

        /// An entry of `key` and `value`.
        package init(key: String, value: [UInt8]) {
            self.key = key
            self.value = value
        }
    }

    /// The keys that the protocol defines.
    package enum Key {
        /// Makes a retry safe (G-25).
        package static let idempotencyKey = "idempotency-key"
        /// The user's IP address; accepted only from applications that may assert it.
        package static let clientAddress = "client-address"
        /// The person's user agent, as HTTP has it; read only from applications that may assert the
        /// address. The gateway passes on what it makes of it (`agent`).
        package static let clientAgent = "client-agent"
        /// The languages that the user reads, in the format of HTTP's `Accept-Language`. Error
        /// texts are in the best match. A call that the gateway passes on has the best one alone.
        package static let acceptLanguage = "accept-language"
        /// `Bearer` and the access token of the session in whose name the call is made. The gateway
        /// passes it on to the owner of a method that reads it. Never logged or traced.
        package static let authorization = "authorization"
        /// A JSON Web Token by which a backend's call over HTTP counts as that of its application;
        /// read only from applications that may carry such tokens (the web service). It is not
        /// forwarded, and never logged or traced.
        package static let applicationToken = "application-token"
        /// The name of the app that calls through the web service; read only from that, and from
        /// the gateway.
        package static let app = "app"
        /// The ways to sign in that this app does not have, by their names, with commas between
        /// them; read only from the web service, and from the gateway. It hides them and permits
        /// nothing.
        package static let appWithout = "app-without"
        /// Where the person's address is (`Place.text`); read only from the gateway.
        package static let place = "place"
        /// The program that the person uses, in words of the gateway's table; read only from the
        /// gateway.
        package static let agent = "agent"
        /// The application that has called the gateway, where a call is only for applications that
        /// are named; read only from the gateway. It permits nothing and never becomes
        /// `CallContext.application`, which is the connection's: a gateway that writes `tool` would
        /// be the operator.
        package static let application = "application"
        /// What the gateway has charged for the call, in units of `document-work-by-account`; read
        /// only from the gateway.
        package static let paidUnits = "paid-units"
        /// The rate limiter's id of what the gateway has charged for a first proof, which its second
        /// proof gives back; read only from the gateway.
        package static let charge = "charge"
        /// W3C trace context, forwarded unchanged.
        package static let traceparent = "traceparent"
    }

    /// The entries in wire order.
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

    /// As long as the name of an app in the apps file can be, in bytes.
    private static let appBytesMax = 32

    /// The name of the app that calls; nil without one. Attack: a text that cannot be a name is
    /// written to limits and to the audit trail. It is ignored.
    package var app: String? {
        self[Key.app].flatMap {
            $0.isName(1...Self.appBytesMax, [.lower, .digit], marks: "-") ? $0 : nil
        }
    }

    /// Where the person's address is; nil if that is unknown.
    package var place: Place? { self[Key.place].flatMap { Place(text: $0) } }

    /// How much of a user agent is passed on and looked at, in bytes.
    package static let clientAgentBytesMax = 512

    /// As long as the gateway's words for an agent can be, in bytes.
    private static let agentBytesMax = 48

    /// The program that the person uses; nil if that is unknown. Attack: a gateway that somebody
    /// else controls writes texts of its own to the audit trail. What cannot be the gateway's words
    /// is ignored.
    package var agent: String? {
        self[Key.agent].flatMap {
            $0.isName(1...Self.agentBytesMax, [.lower, .digit], marks: " ,-") ? $0 : nil
        }
    }

    /// The best language of the error catalogue for the user; English if none is given.
    package var voice: Voice { acceptedVoice ?? .english }

    /// The same; nil if none is given that the catalogue has.
    package var acceptedVoice: Voice? {
        self[Key.acceptLanguage].flatMap { AcceptedLanguages($0).best }
    }

    /// Replaces the accepted language by the operator's voice of it: `de-formal` for `de`.
    mutating func useVoice(of formal: FormalLanguages) {
        guard formal != .none, let language = acceptedVoice?.language else { return }
        self[Key.acceptLanguage] = formal.voice(of: language).tag
    }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Whether it is within the limits of a call.
    var isWithinLimits: Bool {
        entries.count <= FrameLimits.metadataEntriesMax
            && entries.reduce(0) { $0 + $1.byteCount } <= FrameLimits.metadataBytesMax
    }

    /// A size that suffices for the `metadata` fields of a Request: each entry has three tags and
    /// lengths.
    var encodedBytesMax: Int { entries.reduce(0) { $0 + $1.byteCount + 32 } }
}

extension Metadata.Entry {
    var byteCount: Int { key.utf8.count + value.count }

    /// Reads one `postern.wire.v1.Metadata` at `range` of `bytes`.
    /// - Throws: `WireViolation.malformed`.
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(WireViolation) {
        var reader = WireReader(bytes, range)
        var key = range.lowerBound..<range.lowerBound
        var value: [UInt8] = []
        while let tag = try reader.tag() {
            switch tag {
            case 0x0a: key = try reader.range()
            case 0x12: value = Array(bytes[try reader.range()])
            default: try reader.skip(tag, known: 2)
            }
        }
        guard let text = String(validating: bytes[key], as: UTF8.self), !text.utf8.contains(0)
        else { throw .malformed }
        self.init(key: text, value: value)
    }
}
