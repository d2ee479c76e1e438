package import Cryptography
package import Messages
package import ServiceRuntime
package import Storage

/// Where a call came from, as the audit trail keeps it: keyed hashes, so that the trail outlives
/// the account without its personal data.
package struct CallOrigin: Hashable, Sendable {
    let clientAddress: [UInt8]?
    let device: [UInt8]?
    /// Of the network that the address is in.
    let site: [UInt8]?

    /// The origin of a request; what it leaves empty is not known.
    package init(_ origin: IdentityV1.Origin?, hash: KeyedHash) {
        func key(_ label: String, _ text: String?) -> [UInt8]? {
            guard let text, !text.isEmpty else { return nil }
            return hash.lookUpKey(Array("\(label)\0\(text)".utf8))
        }
        clientAddress = key("client address", origin?.clientAddress)
        device = key("device", origin?.deviceId)
        site = ClientSite.bytes(of: origin?.clientAddress ?? "").map {
            hash.lookUpKey(Array("client site\0".utf8) + $0)
        }
    }

    /// Reads what `bytes` wrote.
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

    /// The hashes, for a later step of the same call; each behind a mark that it is there.
    package var bytes: [UInt8] {
        [clientAddress, device, site].flatMap { hash in hash.map { [1] + $0 } ?? [0] }
    }

    /// Of calls that say nothing about it.
    package static let unknown = CallOrigin()

    private init() { (clientAddress, device, site) = (nil, nil, nil) }
}

extension AuditEvent {
    /// The event, with where it came from.
    package func from(_ origin: CallOrigin) -> AuditEvent {
        var event = self
        event.clientAddress = origin.clientAddress
        event.device = origin.device
        return event
    }
}

extension Transaction {
    /// Counts a refusal that names no account, for the network that it came from (`AuditCounts`).
    /// - Throws: `SQLError`.
    package func auditCounted(
        _ kind: AuditKind, outcome: ErrorCode? = nil, from origin: CallOrigin
    ) throws {
        try auditCounted(kind, outcome: outcome, site: origin.site)
    }
}
