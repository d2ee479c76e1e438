import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.notification.v1.RelayAddresses`: identity's reports on providers' relay addresses. A
/// relay that does not forward is suppressed like an address without a mailbox (G-05).
struct RelayAddressesHandler: RelayAddressesService {
    let store: Store
    let keys: NotificationKeys
}

extension RelayAddressesHandler {
    /// The stored reason, in place of a mail server's.
    private static let reason = "relay-off"

    /// Suppresses a relay address that was turned off, or releases one that was turned on. Turning
    /// on removes every entry of it: the user wants its mail, whatever mail servers answered
    /// meanwhile.
    func setRelay(
        _ request: NotificationV1.SetRelayRequest, _ context: CallContext
    ) async throws -> NotificationV1.SetRelayResponse {
        try context.requireAccountKeeper()
        guard let address = MailAddress(request.email) else {
            throw ServiceError(.invalidEmail, fields: ["email"])
        }
        let (hash, hashes) = (
            keys.recipient(address.canonical), keys.suppressionHashes(of: address)
        )
        try await store.write(about: []) { transaction in
            if request.isOff {
                try transaction.suppressAddress(hash, reason: Self.reason)
            } else {
                _ = try transaction.releaseAddress(hashes)
            }
        }
        return NotificationV1.SetRelayResponse()
    }
}
