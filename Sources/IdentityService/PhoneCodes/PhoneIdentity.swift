import Addresses
import Cryptography
import ServiceRuntime
import Storage

/// A phone number as an identity: the issuer is "phone", the subject is the number.
enum PhoneIdentity {
    /// The method's name in notices and responses.
    static let method = "phone"
    /// RFC 8176: a text message and a one-time password.
    static let amr = ["sms", "otp"]

    /// The identity that a right code proves.
    /// - Parameter nonce: makes the code single-use; nil when the code is not used for a sign-in or
    ///   link.
    static func proved(_ number: PhoneNumber, nonce: UsedNonce? = nil) -> ProvedIdentity {
        ProvedIdentity(
            method: method, issuer: method, subject: number.text, amr: amr, nonce: nonce)
    }
}

extension PhoneCodesHandler {
    /// Makes a code single-use. It is kept for the lifetime of a code.
    func nonce(ofCode request: String) -> UsedNonce {
        UsedNonce(
            key: keys.phoneCodes.lookUpKey(Array("used\0\(request)".utf8)),
            expiresAt: time.now() + settings.phone.codeLife)
    }

    /// The account that has a number; nil for none.
    func owner(of number: PhoneNumber, _ session: some SQLSession) throws -> AccountID? {
        try session.identity(
            lookUpKey: keys.lookUpKey(of: PhoneIdentity.proved(number)))?.account
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
