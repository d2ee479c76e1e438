package import Addresses
import Contracts
import Cryptography
import Messages
import RPC
package import ServiceRuntime
package import Storage

/// `postern.identity.v1.PhoneCodes`: codes sent to phone numbers, and what they prove (G-06, I-06,
///
struct PhoneCodesHandler: PhoneCodesService, AccountWriting {
    let settings: IdentitySettings
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let owners: SessionOwners
    let signIn: FederatedSignIn
    let adding: MethodAdding
}

/// A phone number as an identity: the subject is the number.
package enum PhoneIdentity {
    /// Stands for the issuer, also in look-up keys. A provider's issuer is a URL.
    package static let issuer = SignInMethod.phone.name

    /// The identity of a number.
    package static func proved(_ text: String, nonce: UsedNonce? = nil) -> ProvedIdentity {
        ProvedIdentity(method: .phone, issuer: issuer, subject: text, nonce: nonce)
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
    /// - Throws: `SQLError`.
    package func phoneIdentity(
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

    /// Sends a code to sign in with (G-06). It does not look up whether the number has an account:
    /// reads, writes, response and text message are the same for all numbers.
    func requestSignInCode(
        _ request: GatewayV1.RequestSignInCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestCodeResponse {
        let requested = try CodeRequest(
            to: request.phoneNumber, for: .signIn, on: request.device, context, settings, keys,
            at: time.now())
        let call = try RepeatableCall(
            PhoneCodesDescription.requestSignInCode, request, context, keys)
        return try await send(requested, for: nil, call)
    }
}
