import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension PhoneCodesHandler {
    /// Signs in with a code to a phone (G-06): counts and compares the guess, checks whether the
    /// number is sufficient, and passes the proved identity to `FederatedSignIn`, which finds or
    /// creates the account. Account recovery uses the same path.
    ///
    /// The code is used up in the transaction of the sign-in, as a provider's nonce is. After a
    /// crash in between, a retry of the call therefore still finds a valid code (G-25). A right
    /// code that was not sufficient stays valid for the same reason.
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
            acceptance: Acceptance(request.acceptance), in: caller, repeatable: call)
        let guess = guess(request, number, from: signInCall.origin)
        try await require(guess, call)
        try await requireEnough(guess)
        do {
            return try await signIn.run(proved, signInCall)
        } catch let error as ServiceError where error.code == .invalidNonce {
            // Another call has used the code, or this is a repeat of one that was refused after it. It
            // was right, so it is no guess at a live code: the gateway refunds it to the number.
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

    /// Rejects the sign-in if the number was reported as changed and the account has another method
    ///
    private func requireEnough(_ guess: PhoneCodeGuess) async throws {
        guard try await store.read({ try $0.numberChange(guess.numberKey) }) != nil else {
            return
        }
        let demanded = try await store.write(about: []) { transaction -> [SignInMethod] in
            guard let change = try transaction.numberChange(guess.numberKey),
                let owner = try owner(of: guess.number, transaction),
                let row = try transaction.account(owner)
            else { return [] }
            let demanded = NumberChangeRule.demanded(
                change, others: row.methods.filter { $0 != .phone },
                guardedFor: settings.phone.changeGuard, at: transaction.at)
            guard !demanded.isEmpty else { return [] }
            try transaction.audit(
                .signInFailed, owner, detail: .method(SignInMethod.phone.name),
                from: guess.origin, subject: keys.subject(of: guess.number),
                outcome: .secondProofRequired)
            return demanded
        }
        guard demanded.isEmpty else {
            var error = ServiceError(.secondProofRequired)
            error.alternatives = demanded.map(\.name)
            throw error
        }
    }
}
