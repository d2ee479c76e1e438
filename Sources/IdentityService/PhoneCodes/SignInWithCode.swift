import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension PhoneCodesHandler {
    /// Signs in with a code to a phone (G-06): counts and compares the guess, and passes the proved
    /// identity to `FederatedSignIn`, which finds or creates the account, and asks the gate whether
    /// the number is sufficient. Account recovery uses the same path.
    ///
    /// The code is used up in the transaction of the sign-in, as a provider's nonce is, also if that
    /// waits for a second proof. After a crash in between, a retry of the call therefore still finds
    /// a valid code (G-25).
    ///
    /// Attack: somebody at the page that deletes accounts makes one with each number. A call with
    /// `existing_only` makes none, and its error is that of a wrong code (G-32).
    func signInWithCode(
        _ request: GatewayV1.SignInWithPhoneCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        let number = try PhoneNumber.required(request.phoneNumber)
        try requireOn(number)
        let nonce = nonce(ofCode: request.requestId)
        let proved = try await store.read {
            try $0.phoneIdentity(number, nonce: nonce, keys).proved
        }
        let caller = try await owners.calling(in: context)
        let call = try RepeatableCall(
            PhoneCodesDescription.signInWithCode, request, by: caller.caller,
            proving: keys.lookUpKey(of: proved), context, keys)
        // The whole request is validated before a guess is counted.
        let signInCall = FederatedSignInCall(
            from: CallOrigin(context, on: request.device, keys), on: request.device,
            language: try context.mailLanguage(request.mailLanguage, settings),
            acceptance: Acceptance(request.acceptance), in: caller,
            challenged: ChallengedCall(context, deviceID: request.device?.deviceId ?? "", keys),
            numberKey: keys.lookUpKey(of: number), isExistingOnly: request.existingOnly,
            repeatable: call)
        let guess = guess(request, number, from: signInCall.origin)
        try await require(guess, call)
        do {
            return try await signIn.run(proved, signInCall)
        } catch let error as ServiceError
            where error.code == .invalidNonce || error.code == .invalidCode
        {
            // Another call has used the code, or this is a repeat of one that was refused after it; or
            // the number has no account. The code was right, so it is no guess at a live code: the
            // gateway refunds it to the number.
            throw ServiceError(.invalidCode, fields: ["request_id"])
        }
    }

    private func guess(
        _ request: GatewayV1.SignInWithPhoneCodeRequest, _ number: PhoneNumber,
        from origin: CallOrigin
    ) -> PhoneCodeGuess {
        PhoneCodeGuess(
            request: PhoneCodeID(text: request.requestId), purpose: .signIn, owner: nil,
            number: number, numberKey: keys.lookUpKey(of: number),
            code: PhoneCode(typed: request.code), origin: origin)
    }
}
