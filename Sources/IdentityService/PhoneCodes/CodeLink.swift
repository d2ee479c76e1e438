import Addresses
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// Links a phone number to the caller's account (G-14): checks the session, counts and compares the
/// guess, adds the number. The code is used up in the transaction that adds the number.
struct CodeLink: Sendable {
    let parts: IdentityParts
    let owners: SessionOwners

    /// - Throws: `auth/invalid-verification-code`, `auth/code-expired`,
    ///   `auth/invalid-phone-number`, `auth/operation-not-allowed` when phone sign-in is disabled;
    ///   as `MethodAdding` and `SessionOwners.ownerOfMethods`.
    func run(
        _ request: IdentityV1.LinkPhoneRequest, _ context: CallContext
    ) async throws -> IdentityV1.LinkPhoneResponse {
        let number = try PhoneNumber.required(request.phoneNumber)
        try PhoneCodeCheck(parts: parts).requireOn(number)
        let owner = try await owners.ownerOfMethods(request.accessToken, context)
        let proved = PhoneIdentity.proved(
            number, nonce: UsedNonce(code: request.requestId, parts))
        let call = try MethodCall(
            "LinkPhone", of: owner, parts.keys.lookUpKey(of: proved), from: request.origin,
            context, parts)
        let guess = PhoneCodeGuess(
            request: PhoneCodeID(text: request.requestId), purpose: .link,
            owner: owner, number: number, numberKey: parts.keys.lookUpKey(of: number),
            code: PhoneCode(typed: request.code), origin: call.origin)
        try await PhoneCodeCheck(parts: parts).require(guess, call.call)
        do {
            let row = try await MethodAdding(parts: parts).add(proved, call)
            return IdentityV1.LinkPhoneResponse(
                account: try AccountReader(parts: parts).message(row))
        } catch let error as ServiceError where error.code == .invalidNonce {
            throw ServiceError(.invalidCode, fields: ["code"])
        }
    }
}
