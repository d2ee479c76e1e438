import CallRecords
import Contracts
package import Messages
package import RPC
import ServiceRuntime
package import Storage

/// What identity hears of providers' relay addresses (`postern.notification.v1.RelayAddresses`): one
/// that passes nothing on is sent nothing, like an address where nobody lives (G-05).
package struct RelayAddressesHandler: RelayAddressesService {
    /// The word for it, where a mail server's would stand.
    private static let reason = "relay-off"

    private let store: Store
    private let keys: NotificationKeys

    /// A handler over the addresses in `store`.
    package init(store: Store, keys: NotificationKeys) {
        self.store = store
        self.keys = keys
    }

    /// Whoever turned a relay on again wants its mail, whatever mail servers said of it meanwhile.
    package func setRelay(
        _ request: NotificationV1.SetRelayRequest, _ context: CallContext
    ) async throws -> NotificationV1.SetRelayResponse {
        try context.requireAccountKeeper()
        guard let address = MailAddress(request.email) else {
            throw ServiceError(.invalidEmail, fields: ["email"])
        }
        let (hash, stops) = (keys.recipient(address.canonical), keys.stops(of: address))
        try await store.write { transaction in
            if request.isOff {
                try transaction.stopAddress(hash, reason: Self.reason)
            } else {
                _ = try transaction.releaseAddress(stops)
            }
        }
        return NotificationV1.SetRelayResponse()
    }
}
