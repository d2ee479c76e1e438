import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension PhoneCodesHandler {
    /// Links a phone number to the caller's account (G-14): checks the session, counts and compares
    /// the guess, adds the number. The code is used up in the transaction that adds the number.
    func linkPhone(
        _ request: GatewayV1.LinkPhoneRequest, _ context: CallContext
    ) async throws -> GatewayV1.LinkPhoneResponse {
        let number = try PhoneNumber.required(request.phoneNumber)
        try requireOn(number)
        let owner = try await owners.ownerOfMethods(in: context)
        let nonce = nonce(ofCode: request.requestId)
        let proved = try await store.read {
            try $0.phoneIdentity(number, nonce: nonce, keys).proved
        }
        let call = MethodCall(
            of: owner, from: CallOrigin(context, on: request.device, keys), on: request.device,
            try RepeatableCall(
                PhoneCodesDescription.linkPhone, request, by: owner.account.text,
                proving: keys.lookUpKey(of: proved), context, keys))
        let guess = PhoneCodeGuess(
            request: PhoneCodeID(text: request.requestId), purpose: .link,
            owner: owner, number: number, numberKey: keys.lookUpKey(of: number),
            code: PhoneCode(typed: request.code), origin: call.origin)
        try await require(guess, call.repeatable)
        do {
            let row = try await adding.add(proved, call)
            return GatewayV1.LinkPhoneResponse(
                account: try await signIn.answers.account(row))
        } catch let error as ServiceError where error.code == .invalidNonce {
            throw ServiceError(.invalidCode, fields: ["request_id"])  // as in `signInWithCode`
        }
    }
}
