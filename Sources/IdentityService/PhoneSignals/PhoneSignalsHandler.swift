import Contracts
import Storage

/// `postern.identity.v1.PhoneSignals`: reports of text message providers about phone numbers
///
struct PhoneSignalsHandler: PhoneSignalsService {
    let store: Store
    let keys: IdentityKeys
}
