package import Contracts
package import Logging
package import ServiceRuntime
package import Storage

/// `postern.identity.v1.PhoneCodes` (G-06, I-06, R-02). Each rpc is in the file of its name:
/// `requestCode`, `signInWithCode`, `linkPhone`, `proveByCode`.
package struct PhoneCodesHandler: PhoneCodesService {
    let settings: IdentitySettings
    let store: Store
    let keys: IdentityKeys
    let time: any Time
    let randomness: any Randomness
    let keepsGrants: Bool
    let owners: SessionOwners

    /// Creates the handler. `devices` is the session service, which knows the owners of sessions.
    /// - Parameter keepsGrants: As in `FederatedSignIn`, which signs in.
    package init(
        settings: IdentitySettings, store: Store, keys: IdentityKeys, time: any Time,
        randomness: any Randomness, logger: Logger, keepsGrants: Bool, devices: any DevicesAPI
    ) {
        self.settings = settings
        self.store = store
        self.keys = keys
        self.time = time
        self.randomness = randomness
        self.keepsGrants = keepsGrants
        owners = SessionOwners(store: store, devices: devices)
        warnOfTests(logger)
    }

    /// A test number's code gives access without a phone, so the log warns while any is configured.
    private func warnOfTests(_ logger: Logger) {
        let now = time.now()
        let tests = settings.phone.testNumbers
        let ended = tests.count { $0.endsAt <= now }
        if ended < tests.count {
            logger.warning(
                "identity.phone_test_numbers.on",
                "phone test numbers are on: their codes are fixed and nothing is sent",
                fields: [
                    .setting: .text("phone-test-numbers"), .count: .count(tests.count - ended),
                ])
        }
        if ended > 0 {
            logger.warning(
                "identity.phone_test_numbers.expired",
                "phone test numbers have expired and are refused",
                fields: [.setting: .text("phone-test-numbers"), .count: .count(ended)])
        }
    }
}
