import Addresses
import Messages
import RPC
import ServiceRuntime
import Storage

extension PhoneCodesHandler {
    /// Sends a code to a phone (G-06): reads the request, draws the code, writes, responds.
    ///
    /// A request for sign-in does not look up whether the number has an account: reads, writes,
    /// response and text message are the same for all numbers. One transaction writes the
    /// hash of the code and enqueues the message; the call does not wait for a provider. The
    /// gateway enforces the rate limits.
    /// - Throws: `auth/invalid-phone-number`, `auth/phone-country-not-allowed`,
    ///   `auth/operation-not-allowed`, `auth/idempotency-key-reused`, `rpc/invalid-argument`; for a
    ///   re-authentication `auth/no-such-provider` when the number is not the account's; as
    ///   `SessionOwners.owner`, and to link as `SessionOwners.ownerOfMethods`.
    func requestCode(
        _ request: IdentityV1.RequestCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestCodeResponse {
        let requested = try CodeRequest(request, settings, keys, at: time.now())
        let owner = try await asking(requested, request.accessToken, context)
        // The language is left out: it may come from metadata, which a repeat need not have.
        let call = try RepeatableCall(
            "RequestCode",
            [Array(requested.number.text.utf8), Array("\(requested.purpose.rawValue)".utf8)]
                + (owner?.account).fingerprint, context, hash: keys.calls)
        let (code, message) = try draft(requested, account: owner?.account, at: time.now())
        let answer = try await store.write(about: [.hash(code.binding.numberKey)]) { transaction in
            if let owner { try transaction.requireLive(owner) }
            if let first = try transaction.storedResponse(of: call) { return first }
            try transaction.insert(code)
            if let message { try transaction.enqueue(message) }
            try transaction.audit(
                AuditEvent(
                    .phoneCodeRequested, account: owner?.account.key,
                    subject: keys.subject(of: requested.number)
                ).from(requested.origin))
            let answer = IdentityV1.StoredResponse(
                codeRequest: code.binding.request.key,
                codeExpiresAtMs: code.state.expiresAt.milliseconds)
            try transaction.remember(call, answer)
            return answer
        }
        guard let id = PhoneCodeID(key: answer.codeRequest) else {
            throw ServiceError(.internalError, detail: "the key of a code request is below 1")
        }
        return IdentityV1.RequestCodeResponse(
            requestId: id.text, expiresAtMs: answer.codeExpiresAtMs, isTest: requested.test != nil)
    }

    /// The session that made the call; nil for a sign-in.
    private func asking(
        _ requested: CodeRequest, _ accessToken: String, _ context: CallContext
    ) async throws -> SessionOwner? {
        switch requested.purpose {
        case .signIn: return nil
        // As `linkPhone`: without a recent proof no message is sent that could not be used.
        case .link: return try await owners.ownerOfMethods(accessToken, context)
        case .prove:
            let owner = try await owners.owner(of: accessToken, context)
            // The response discloses only that the number is not the caller's own, and not whose it
            // is.
            let holder = try await store.read { try self.owner(of: requested.number, $0) }
            guard holder == owner.account else {
                throw ServiceError(.methodNotLinked, fields: ["phone_number"])
            }
            return owner
        }
    }

    /// Everything that a request may write, prepared before its transaction. The message is nil for
    /// a test number, which gets none.
    private func draft(
        _ requested: CodeRequest, account: AccountID?, at now: Timestamp
    ) throws -> (code: StoredPhoneCode, message: OutboxMessage?) {
        let life = settings.phone.codeLife
        let expiresAt = min(now + life, requested.test?.endsAt ?? now + life)
        let binding = PhoneCodeBinding(
            request: PhoneCodeID.drawn(from: randomness), purpose: requested.purpose,
            account: account, numberKey: keys.lookUpKey(of: requested.number))
        let drawn = requested.test?.code ?? PhoneCode.drawn(from: randomness)
        let code = StoredPhoneCode(
            binding: binding, hash: binding.hash(of: drawn, keys),
            state: PhoneCodeState(stage: .live, evaluated: 0, expiresAt: expiresAt))
        guard requested.test == nil else { return (code, nil) }
        let text = PhoneCodeText(
            code: drawn, number: requested.number, language: requested.language, account: account,
            expiresAt: expiresAt, life: life)
        let outbox = IdentityOutbox(keys: keys, randomness: randomness)
        return (code, try text.message(keys, key: outbox.newKey()))
    }
}

extension PhoneCodesHandler {
    /// The validated request for a code.
    struct CodeRequest: Sendable {
        let number: PhoneNumber
        let purpose: PhoneCodePurpose
        let language: String
        /// The operator's entry, if it is a test number.
        let test: TestPhoneNumber?
        let origin: CallOrigin

        /// Reads a request.
        /// - Throws: `auth/invalid-phone-number`, `rpc/invalid-argument`,
        ///   `auth/operation-not-allowed`, `auth/phone-country-not-allowed`.
        init(
            _ request: IdentityV1.RequestCodeRequest, _ settings: IdentitySettings,
            _ keys: IdentityKeys, at now: Timestamp
        ) throws(ServiceError) {
            number = try PhoneNumber.required(request.phoneNumber)
            guard let purpose = PhoneCodePurpose(request.purpose) else {
                throw ServiceError(.invalidArgument, fields: ["purpose"])
            }
            guard request.language.isEmpty || LanguageTag.isValid(request.language) else {
                throw ServiceError(.invalidArgument, fields: ["language"])
            }
            self.purpose = purpose
            language = request.language.isEmpty ? settings.defaultLanguage : request.language
            test = settings.phone.test(number)
            if let test {
                guard now < test.endsAt else {
                    throw ServiceError(.operationNotAllowed, fields: ["phone_number"])
                }
            } else if let refusal = settings.phone.countries.refusal(of: number) {
                throw ServiceError(refusal, fields: ["phone_number"])
            }
            origin = CallOrigin(request.origin, hash: keys.audit)
        }
    }
}
