import Addresses
package import Cryptography
package import ServiceRuntime

/// One event in the audit trail. Accounts and sessions are named by their keys, addresses
/// and devices only by keyed hashes, so erasing an account leaves no personal data in the trail
/// . Never holds a secret, an address or a token.
package struct AuditEvent: Hashable, Sendable {
    /// What happened.
    package let kind: AuditKind
    /// The account's key.
    package var account: Int64?
    /// The session's key.
    package var session: Int64?
    /// Keyed hash of the address that the request named, where there may be no account for it; of a
    /// signing key, its `kid`.
    package var subject: [UInt8]?
    /// Keyed hash of the client's address.
    package var clientAddress: [UInt8]?
    /// Keyed hash of the device's id.
    package var device: [UInt8]?
    /// The error code where the request was refused; nil where it succeeded.
    package var outcome: ErrorCode?
    /// A number whose meaning depends on the kind (`AuditKind`), for example a count of refusals.
    package var attempt: Int64?
    /// Who acted, where that was not the account's owner: the application and the operator that it
    /// named (I-09). Of a limit that was reached, `limit/` and its name.
    package var actor: String?
    /// The app that called, by its name in the operator's apps file.
    package var app: String?
    /// What its kind does not say, in words of a closed list (`AuditKind.detail`).
    package var detail: AuditDetail?
    /// The country that the client's address is in, two letters.
    package var country: String?
    /// The program that the person used, in words of the gateway's table.
    package var agent: String?

    /// An event of `kind` with its known fields.
    package init(
        _ kind: AuditKind, account: Int64? = nil, session: Int64? = nil, subject: [UInt8]? = nil,
        clientAddress: [UInt8]? = nil, device: [UInt8]? = nil, outcome: ErrorCode? = nil,
        attempt: Int64? = nil, detail: AuditDetail? = nil
    ) {
        self.kind = kind
        self.account = account
        self.session = session
        self.subject = subject
        self.clientAddress = clientAddress
        self.device = device
        self.outcome = outcome
        self.attempt = attempt
        self.detail = detail
    }
}

extension AuditEvent {
    /// The event with the one who caused it: `tool`, or `tool/ann`.
    package func by(_ actor: String?) -> AuditEvent {
        var event = self
        event.actor = actor
        return event
    }
}

extension Transaction {
    /// Appends an event to the audit trail in this transaction: it commits or rolls back with the
    /// change that it records.
    /// - Precondition: the event's kind has this detail. Otherwise the trail would have words that
    ///   no reader expects.
    /// - Throws: `SQLError`.
    package func audit(_ event: AuditEvent) throws {
        precondition(event.detail.map(event.kind.allows) ?? true)
        try put(
            """
            INSERT INTO audit (
                at_ms, kind, account, session, subject, client_address, device, outcome, attempt,
                actor, app, detail, country, agent)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(at), .text(event.kind.rawValue), SQLValue(event.account),
                SQLValue(event.session), SQLValue(event.subject), SQLValue(event.clientAddress),
                SQLValue(event.device), SQLValue(event.outcome?.rawValue), SQLValue(event.attempt),
                SQLValue(event.actor), SQLValue(event.app), SQLValue(event.detail?.text),
                SQLValue(event.country), SQLValue(event.agent),
            ])
    }
}

/// The origin of a call, as stored in the audit trail: keyed hashes, so that the trail may outlive
/// the account without keeping personal data, and the names of the app, the country and the
/// program, which many people share. The place is for mails and sessions.
package struct CallOrigin: Hashable, Sendable {
    let clientAddress: [UInt8]?
    let device: [UInt8]?
    /// The hash of the client's network, at the size that a provider assigns to one customer: an
    /// IPv4 /24 or an IPv6 /48.
    let site: [UInt8]?
    /// The hash of what one customer has at home: an IPv4 address or an IPv6 /48.
    package let customer: [UInt8]?
    /// The hash of the network of a provider, an IPv4 /16 or an IPv6 /32, where the place is
    /// unknown, to be used instead (G-08). Nil if the place is known, or the address is not.
    package let network: [UInt8]?
    /// The app's name; nil for other callers.
    package let app: String?
    /// Where the address is; nil if that is unknown. The trail has the country alone.
    package let place: Place?
    /// The program that the person uses; nil if it is unknown.
    package let agent: String?

    /// The origin of a request; empty fields are unknown.
    package init(_ origin: (any ClientOrigin)?, hash: KeyedHash) {
        clientAddress = Self.key("client address", origin?.clientAddress, hash)
        device = Self.key("device", origin?.deviceId, hash)
        let address = ClientAddress(origin?.clientAddress ?? "")
        site = address.map {
            hash.lookUpKey(Array("client site\0".utf8) + $0.network(v6: 6, v4: 3))
        }
        customer = address.map {
            hash.lookUpKey(Array("client customer\0".utf8) + $0.network(v6: 6, v4: 4))
        }
        app = Self.known(origin?.app)
        place = origin?.place
        network =
            place == nil
            ? address.map {
                hash.lookUpKey(Array("client network\0".utf8) + $0.network(v6: 4, v4: 2))
            } : nil
        agent = Self.known(origin?.agent)
    }

    private static func known(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func key(_ label: String, _ text: String?, _ hash: KeyedHash) -> [UInt8]? {
        guard let text, !text.isEmpty else { return nil }
        return hash.lookUpKey(Array("\(label)\0\(text)".utf8))
    }

    /// Decodes the result of `bytes`, without `customer` and `network`; nil if it is malformed.
    /// Earlier versions wrote the hashes alone.
    package init?(bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        func next() -> [UInt8]?? {
            guard let mark = rest.popFirst() else { return nil }
            guard mark == 1 else { return .some(nil) }
            guard rest.count >= KeyedHash.lookUpKeyBytes else { return nil }
            defer { rest = rest.dropFirst(KeyedHash.lookUpKeyBytes) }
            return Array(rest.prefix(KeyedHash.lookUpKeyBytes))
        }
        guard let clientAddress = next(), let device = next(), let site = next() else {
            return nil
        }
        (self.clientAddress, self.device, self.site) = (clientAddress, device, site)
        (customer, network, app) = (nil, nil, nil)
        let words = rest.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(validating: $0, as: UTF8.self) }
        switch words.count {
        // One empty word: nothing follows the hashes.
        case 1 where rest.isEmpty: (place, agent) = (nil, nil)
        case 2:
            place = words[0].flatMap { Place(country: $0) }
            agent = Self.known(words[1])
        default: return nil
        }
    }

    /// The hashes encoded, for a later step of the same call: a byte that says whether a hash is
    /// present comes before each. Country and agent follow, with a zero between them, if one of
    /// them is known. The customer, the network and the app are left out.
    package var bytes: [UInt8] {
        var encoded: [UInt8] = []
        for hash in [clientAddress, device, site] {
            encoded.append(hash == nil ? 0 : 1)
            encoded += hash ?? []
        }
        guard place != nil || agent != nil else { return encoded }
        encoded += (place?.country ?? "").utf8
        encoded.append(0)
        encoded += (agent ?? "").utf8
        return encoded
    }

    /// For calls without an origin.
    package static let unknown = CallOrigin()

    private init() {
        (clientAddress, device, site) = (nil, nil, nil)
        (customer, network, app, place, agent) = (nil, nil, nil, nil, nil)
    }
}

extension AuditEvent {
    /// The event with its origin.
    package func from(_ origin: CallOrigin) -> AuditEvent {
        var event = self
        event.clientAddress = origin.clientAddress
        event.device = origin.device
        event.app = origin.app
        event.country = origin.place?.country
        event.agent = origin.agent
        return event
    }
}

extension Transaction {
    /// Counts a rejection that names no account, by the network that it came from (`AuditCounts`).
    /// - Throws: `SQLError`.
    package func auditCounted(
        _ kind: AuditKind, _ detail: AuditDetail? = nil, outcome: ErrorCode? = nil,
        from origin: CallOrigin
    ) throws {
        try auditCounted(kind, detail, outcome: outcome, site: origin.site)
    }
}
