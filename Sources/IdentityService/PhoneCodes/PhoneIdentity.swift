import Cryptography
import PhoneNumbers
import ServiceRuntime
import Storage

/// A phone number as a way of signing in: its issuer is "phone", its subject the number.
enum PhoneIdentity {
    /// As methods are named to owners.
    static let method = "phone"
    /// RFC 8176: a text message, and a password that serves once.
    static let amr = ["sms", "otp"]

    /// What a right code has proved.
    /// - Parameter nonce: lets the code serve once; nil where nobody signs in by it.
    static func proved(_ number: PhoneNumber, nonce: UsedNonce? = nil) -> ProvedIdentity {
        ProvedIdentity(
            method: method, issuer: method, subject: number.text, amr: amr, nonce: nonce)
    }
}

extension UsedNonce {
    /// Lets a code serve once; kept for as long as any code lives.
    init(code request: String, _ parts: IdentityParts) {
        self.init(
            key: parts.keys.phoneCodes.lookUpKey(Array("used\0\(request)".utf8)),
            expiresAt: parts.time.now() + parts.settings.phone.codeLife)
    }
}

/// Whose a number is, and how else they could sign in.
struct PhoneOwners: Sendable {
    let parts: IdentityParts

    /// The account that has a number.
    func owner(of number: PhoneNumber, _ session: some SQLSession) throws -> AccountID? {
        try session.identity(
            lookUpKey: parts.keys.lookUpKey(of: PhoneIdentity.proved(number)))?.account
    }

    /// The account's ways of signing in beside a phone: "password", or a provider's name.
    func otherMethods(of account: AccountID, _ session: some SQLSession) throws -> [String] {
        let holder = try session.passwordHolder(account)
        // A password alone signs nobody in: it goes with an address.
        let password = holder?.sealedHash != nil && holder?.row.address != nil ? ["password"] : []
        return try password
            + session.identities(of: account).map(\.method).filter { $0 != PhoneIdentity.method }
    }
}
