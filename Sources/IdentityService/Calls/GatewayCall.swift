import Contracts
package import Messages
package import RPC
package import ServiceRuntime
package import Storage

// What identity reads of every call of the gateway for a person.

extension CallOrigin {
    /// Where a call comes from, as the gateway's metadata and the request say.
    package init(_ context: CallContext, on device: GatewayV1.Device? = nil, _ keys: IdentityKeys) {
        self.init(RelayedOrigin(context, on: device), hash: keys.audit)
    }
}

extension CallContext {
    /// The language of mails to an account that the call creates: the requested one, or the
    /// person's most preferred one of those that Postern has, or the operator's default.
    /// - Throws: `rpc/invalid-argument` with `mail_language` for a text that is no language tag.
    func mailLanguage(
        _ requested: String, _ settings: IdentitySettings
    ) throws(ServiceError) -> String {
        guard !requested.isEmpty else { return acceptedLanguage ?? settings.defaultLanguage }
        guard LanguageTag.isValid(requested) else {
            throw ServiceError(.invalidArgument, fields: ["mail_language"])
        }
        return requested
    }

    /// The person's most preferred language of those that Postern has; nil for none.
    var acceptedLanguage: String? { metadata.acceptedVoice?.language.rawValue }
}

extension RepeatableCall {
    /// The methods whose repeats are stored under another name than their own: it is part of stored
    /// keys.
    private static let storedNames = [
        "WriteDocument": "WriteDocuments", "WriteAccountDocuments": "WriteDocuments",
        "RemoveAccountDocument": "RemoveDocument", "UnlinkMethod": "Unlink",
        "RequestSignInCode": "RequestCode", "RequestPhoneCode": "RequestCode",
    ]

    /// A call with an idempotency key; nil without one. Its repeat has in common with it who calls,
    /// and all of the request but what its `.proto` excepts (`ProtobufMessage.repeatedPart`). The
    /// language is not among it: it may come from metadata, which a repeat need not have.
    /// - Parameters:
    ///   - caller: the account of the session, or the session; empty outside of one, and where a
    ///     repeat cannot name it.
    ///   - proof: what the call proves, where its repeats prove the same by other bytes.
    /// - Throws: `rpc/invalid-argument` for a malformed idempotency key.
    package init?(
        _ method: MethodDescription, _ request: any ProtobufMessage, by caller: String = "",
        proving proof: [UInt8]? = nil, _ context: any IdempotentCall, _ keys: IdentityKeys
    ) throws(ServiceError) {
        try self.init(
            Self.storedNames[method.rpcName] ?? method.rpcName, of: method.name, by: caller,
            request: request.repeatedPart.encoded(), proving: proof.map { [$0] } ?? [], context,
            hash: keys.calls)
    }
}
