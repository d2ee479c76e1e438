import Contracts
import Cryptography
import Messages
package import RPC
package import ServiceRuntime

/// Which backends may call a service about accounts, and what their application tokens sign (I-07).
/// A later service of backends is one more of the rows below.
///
///     service            first signed part        setting            parts after the actor
///     BackendDocuments   postern documents v1     document-writers   as its `.proto` lists them
///     BackendPush        postern push v1          push-senders       one for each field
///                                                                    (`SignedParts`)
///     BackendAccounts    postern accounts v1      account-managers   the same
///
/// The first part differs, so that a token for one service is none for another, whatever their
/// requests have in common.
///
/// What the operator's tool may do without a token, by its own connection: `BackendAccounts`. Its key
/// makes none, and every other caller needs one. For documents and push messages the tool has other
/// ways.
package struct BackendRule: Sendable {
    /// The service, whose methods need such a token.
    package let service: ServiceDescription
    /// The first of the signed parts.
    package let label: String
    /// The setting of identity that names the applications that may call it.
    let setting: String
    /// The applications that may call it, by the setting.
    let permitted: [String]
    /// Whether the operator's tool may call it too.
    let admitsOperators: Bool
    /// The rule for each request by its full name; empty where requests list their parts.
    private let parts: [String: SignedParts]

    /// Documents and the flag of onboarding, whose requests list their parts.
    package static func documents(writers: [String]) -> BackendRule {
        BackendRule(
            service: BackendDocumentsDescription.service, label: "postern documents v1",
            setting: "document-writers", permitted: writers, admitsOperators: false, parts: [:])
    }

    /// Push messages (N-02).
    /// - Throws: `SchemaError`: only if the generated code is broken.
    package static func pushes(senders: [String]) throws -> BackendRule {
        try BackendRule(
            byDescriptorOf: BackendPushDescription.service, label: "postern push v1",
            setting: "push-senders", permitted: senders, admitsOperators: false)
    }

    /// The management of accounts (I-10).
    /// - Throws: `SchemaError`: only if the generated code is broken.
    package static func accounts(managers: [String]) throws -> BackendRule {
        try BackendRule(
            byDescriptorOf: BackendAccountsDescription.service, label: "postern accounts v1",
            setting: "account-managers", permitted: managers, admitsOperators: true)
    }

    private init(
        service: ServiceDescription, label: String, setting: String, permitted: [String],
        admitsOperators: Bool, parts: [String: SignedParts]
    ) {
        self.service = service
        self.label = label
        self.setting = setting
        self.permitted = permitted
        self.admitsOperators = admitsOperators
        self.parts = parts
    }

    private init(
        byDescriptorOf service: ServiceDescription, label: String, setting: String,
        permitted: [String], admitsOperators: Bool
    ) throws {
        let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
        let requests = service.methods.compactMap { schema.method(named: $0.name)?.input }
        self.init(
            service: service, label: label, setting: setting, permitted: permitted,
            admitsOperators: admitsOperators,
            parts: Dictionary(
                requests.map {
                    ($0.name, SignedParts(of: $0, without: GatewayV1.BackendCall.fullName))
                }, uniquingKeysWith: { first, _ in first }))
    }

    /// The claim `bh` of the token for a request.
    /// - Parameters:
    ///   - account: as the request names it.
    ///   - parts: what it covers after the actor.
    package func bodyHash(account: String, actor: String, _ parts: [[UInt8]]) -> String {
        let head = [label, account, actor].map { Array($0.utf8) }
        // A part may be a password.
        var signed = DelimitedParts.joined(head + parts)
        defer { wipe(&signed) }
        return ApplicationToken.bodyHash(of: signed)
    }

    /// The claim `bh` of the token for a request. What is made of its secrets is wiped.
    /// - Throws: `rpc/internal` for a request of another service.
    func bodyHash(
        of request: some BackendRequest, _ caller: GatewayV1.BackendCall
    ) throws(ServiceError) -> String {
        var signed = try parts(of: request)
        defer { for index in signed.indices { wipe(&signed[index]) } }
        return bodyHash(account: caller.accountId, actor: caller.actor, signed)
    }

    /// What the token of a request covers after the actor.
    /// - Throws: `rpc/internal` for a request of another service.
    func parts(of request: some BackendRequest) throws(ServiceError) -> [[UInt8]] {
        if let listed = request as? any ListedPartsRequest { return listed.signedParts }
        var encoded = request.encoded()
        defer { wipe(&encoded) }
        return try parts(of: encoded, named: type(of: request).fullName)
    }

    /// The same of an encoded request, for services whose requests do not list their parts.
    /// - Parameter name: the request's full name.
    /// - Throws: `rpc/internal` for a request of another service, and for bytes that are none.
    package func parts(
        of request: [UInt8], named name: String
    ) throws(ServiceError) -> [[UInt8]] {
        guard let rule = parts[name] else {
            throw ServiceError(.internalError, detail: "no parts of \(name) are known")
        }
        do throws(MappingError) {
            return try rule.parts(of: request)
        } catch {
            throw ServiceError(.internalError, detail: "\(name): \(error)")
        }
    }
}
