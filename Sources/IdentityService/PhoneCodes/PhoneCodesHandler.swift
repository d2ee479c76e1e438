import Addresses
import Contracts
import Cryptography
import Logging
import ServiceRuntime
import Storage

/// `postern.identity.v1.PhoneCodes` (G-06, I-06, R-02). Each rpc is in the file of its name:
/// `requestCode`, `signInWithCode`, `linkPhone`, `proveByCode`.
struct PhoneCodesHandler: PhoneCodesService {
    let settings: IdentitySettings
    let store: Store
    let keys: IdentityKeys
    let time: any Time
    let randomness: any Randomness
    let answers: AccountAnswers
    let guests: GuestSettlement
    let keepsGrants: Bool
    let owners: SessionOwners

    /// Creates the handler. `devices` and `sessions` are the session service, which knows the
    /// owners of sessions.
    /// - Parameter keepsGrants: As in `FederatedSignIn`, which signs in.
    init(
        settings: IdentitySettings, store: Store, keys: IdentityKeys, time: any Time,
        randomness: any Randomness, answers: AccountAnswers, guests: GuestSettlement,
        logger: Logger, keepsGrants: Bool, devices: any DevicesAPI, sessions: any SessionsAPI
    ) {
        self.settings = settings
        self.store = store
        self.keys = keys
        self.time = time
        self.randomness = randomness
        self.answers = answers
        self.guests = guests
        self.keepsGrants = keepsGrants
        owners = SessionOwners(store: store, devices: devices, sessions: sessions)
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

/// A phone number as an identity: the issuer is "phone", the subject is the number.
enum PhoneIdentity {
    /// The method's name in notices and responses.
    static let method = "phone"
    /// RFC 8176: a text message and a one-time password.
    static let amr = ["sms", "otp"]

    /// The identity of a number.
    static func proved(_ text: String, nonce: UsedNonce? = nil) -> ProvedIdentity {
        ProvedIdentity(method: method, issuer: method, subject: text, amr: amr, nonce: nonce)
    }
}

extension SQLSession {
    /// The identity that a right code to a number proves, and its account; nil for none.
    ///
    /// An account that is stored under a former text of the number (`PhoneNumber.formerTexts`) is
    /// this number's, unless another account has the number as it is. All texts are looked up in
    /// any case: the number of reads does not tell whether there is an account.
    /// - Parameter nonce: makes the code single-use; nil when the code is not used for a sign-in or
    ///   link.
    func phoneIdentity(
        _ number: PhoneNumber, nonce: UsedNonce? = nil, _ keys: IdentityKeys
    ) throws -> (proved: ProvedIdentity, account: AccountID?) {
        func stored(_ text: String) throws -> (proved: ProvedIdentity, account: AccountID?) {
            let proved = PhoneIdentity.proved(text, nonce: nonce)
            return (proved, try identity(lookUpKey: keys.lookUpKey(of: proved))?.account)
        }
        let current = try stored(number.text)
        let former = try number.formerTexts.map(stored).first { $0.account != nil }
        return current.account == nil ? former ?? current : current
    }
}

extension PhoneCodesHandler {
    /// Makes a code single-use. It is kept for the lifetime of a code.
    func nonce(ofCode request: String) -> UsedNonce {
        UsedNonce(
            key: keys.phoneCodes.lookUpKey(Array("used\0\(request)".utf8)),
            expiresAt: time.now() + settings.phone.codeLife, isIssued: false)
    }

    /// The account that has a number; nil for none.
    func owner(of number: PhoneNumber, _ session: some SQLSession) throws -> AccountID? {
        try session.phoneIdentity(number, keys).account
    }

    /// The account's sign-in methods other than the phone: "password", or a provider's name.
    func otherMethods(of account: AccountID, _ session: some SQLSession) throws -> [String] {
        let holder = try session.passwordHolder(account)
        // A password is a sign-in method only together with an address.
        let password = holder?.sealedHash != nil && holder?.row.address != nil ? ["password"] : []
        return try password
            + session.identities(of: account).map(\.method).filter { $0 != PhoneIdentity.method }
    }
}
