import Addresses
package import Cryptography
package import ServiceRuntime

/// The origin of a call, as stored in the audit trail: keyed hashes, so that the trail may outlive
/// the account without keeping personal data.
package struct CallOrigin: Hashable, Sendable {
    let clientAddress: [UInt8]?
    let device: [UInt8]?
    /// The hash of the client's network, at the size that a provider assigns to one customer: an
    /// IPv4 /24 or an IPv6 /48.
    let site: [UInt8]?

    /// The origin of a request; empty fields are unknown.
    package init(_ origin: (any ClientOrigin)?, hash: KeyedHash) {
        func key(_ label: String, _ text: String?) -> [UInt8]? {
            guard let text, !text.isEmpty else { return nil }
            return hash.lookUpKey(Array("\(label)\0\(text)".utf8))
        }
        clientAddress = key("client address", origin?.clientAddress)
        device = key("device", origin?.deviceId)
        site = ClientAddress(origin?.clientAddress ?? "").map {
            hash.lookUpKey(Array("client site\0".utf8) + $0.network(v6: 6, v4: 3))
        }
    }

    /// Decodes the result of `bytes`; nil if it is malformed.
    package init?(bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        func next() -> [UInt8]?? {
            guard let mark = rest.popFirst() else { return nil }
            guard mark == 1 else { return .some(nil) }
            guard rest.count >= KeyedHash.lookUpKeyBytes else { return nil }
            defer { rest = rest.dropFirst(KeyedHash.lookUpKeyBytes) }
            return Array(rest.prefix(KeyedHash.lookUpKeyBytes))
        }
        guard let clientAddress = next(), let device = next(), let site = next(), rest.isEmpty
        else { return nil }
        (self.clientAddress, self.device, self.site) = (clientAddress, device, site)
    }

    /// The hashes encoded, for a later step of the same call: a byte that says whether a hash is
    /// present comes before each.
    package var bytes: [UInt8] {
        [clientAddress, device, site].flatMap { hash in hash.map { [1] + $0 } ?? [0] }
    }

    /// For calls without an origin.
    package static let unknown = CallOrigin()

    private init() { (clientAddress, device, site) = (nil, nil, nil) }
}

extension AuditEvent {
    /// The event with its origin.
    package func from(_ origin: CallOrigin) -> AuditEvent {
        var event = self
        event.clientAddress = origin.clientAddress
        event.device = origin.device
        return event
    }
}

extension Transaction {
    /// Counts a rejection that names no account, by the network that it came from (`AuditCounts`).
    /// - Throws: `SQLError`.
    package func auditCounted(
        _ kind: AuditKind, outcome: ErrorCode? = nil, from origin: CallOrigin
    ) throws {
        try auditCounted(kind, outcome: outcome, site: origin.site)
    }
}
