import Contracts
import Storage

/// `postern.notification.v1.RelayAddresses`: identity's reports on providers' relay addresses. A
/// relay that does not forward is suppressed like an address without a mailbox (G-05).
struct RelayAddressesHandler: RelayAddressesService {
    let store: Store
    let keys: NotificationKeys
}
