package import Cryptography
package import Messages
package import Storage

/// Where a call came from, as the audit trail keeps it: keyed hashes, so that the trail outlives
/// the account without its personal data.
package struct CallOrigin: Hashable, Sendable {
    let clientAddress: [UInt8]?
    let device: [UInt8]?

    /// The origin of a request; what it leaves empty is not known.
    package init(_ origin: IdentityV1.Origin?, hash: KeyedHash) {
        func key(_ label: String, _ text: String?) -> [UInt8]? {
            guard let text, !text.isEmpty else { return nil }
            return hash.lookUpKey(Array("\(label)\0\(text)".utf8))
        }
        clientAddress = key("client address", origin?.clientAddress)
        device = key("device", origin?.deviceId)
    }

    /// Of calls that say nothing about it.
    package static let unknown = CallOrigin()

    private init() { (clientAddress, device) = (nil, nil) }
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
