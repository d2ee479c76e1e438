import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension PhoneCodesHandler {
    /// Sends a code to a phone (G-06): draws it, writes, responds.
    ///
    /// One transaction writes the hash of the code and enqueues the message; the call does not wait
    /// for a provider. The gateway enforces the rate limits.
    /// - Parameter owner: of the session that asks; nil for a sign-in.
    /// - Throws: `auth/session-ended`, `auth/idempotency-key-reused`.
    func send(
        _ requested: CodeRequest, for owner: SessionOwner?, _ call: RepeatableCall?
    ) async throws -> IdentityV1.RequestCodeResponse {
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
        /// - Throws: `auth/invalid-phone-number`, `auth/operation-not-allowed`,
        ///   `auth/phone-country-not-allowed`.
        init(
            to number: String, for purpose: PhoneCodePurpose, on device: GatewayV1.Device?,
            _ context: CallContext, _ settings: IdentitySettings, _ keys: IdentityKeys,
            at now: Timestamp
        ) throws(ServiceError) {
            let number = try PhoneNumber.required(number)
            self.number = number
            self.purpose = purpose
            language = try context.mailLanguage("", settings)
            test = settings.phone.test(number)
            if let test {
                guard now < test.endsAt else {
                    throw ServiceError(.operationNotAllowed, fields: ["phone_number"])
                }
            } else if let refusal = settings.phone.countries.refusal(of: number) {
                throw ServiceError(refusal, fields: ["phone_number"])
            }
            origin = CallOrigin(context, on: device, keys)
        }
    }
}
