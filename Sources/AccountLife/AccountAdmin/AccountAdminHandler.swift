import Contracts
import IdentityService
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.Admin`: account administration for the operator's tool, and for an
/// application's support desk, whose calls the gateway passes on (I-09).
struct AccountAdminHandler: AdminService, AccountWriting {
    let settings: AccountLifeSettings
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let answers: AccountAnswers
    let logger: Logger
    let deletions: DeletionContext
    /// Searches unused guests, and has the session service's view of the use of accounts.
    let guests: UnusedGuestSearch
    /// Repairs orphans, and has what the checks have found.
    let orphans: OrphanRepair
}

/// The operator's view of an account.
extension AccountAdminHandler {
    /// The message for an account's row.
    /// - Parameter showsPersonal: Whether email, phone number, name and picture were requested.
    ///   Otherwise they are masked or left out.
    func message(
        _ row: AccountRow, _ facts: AccountFacts, _ suspension: Suspension?, showsPersonal: Bool
    ) throws -> GatewayV1.AdminAccount {
        var account = try answers.answer(row, facts, lastSignInAt: row.lastSignInAt).account
        if !showsPersonal {
            account.email = MaskedText.email(account.email)
            account.phoneNumber = MaskedText.phone(account.phoneNumber)
            account.displayName = ""
            account.photoUrl = ""
        }
        let vault = try reader.vault(row)
        return GatewayV1.AdminAccount(
            account: account,
            suspension: try suspension.map {
                GatewayV1.Suspension(
                    reason: try vault.open($0.sealedReason, .suspensionReason),
                    suspendedAtMs: $0.since.milliseconds)
            }, privacy: row.consents.privacy)
    }

    /// The account as of this transaction, without personal data.
    /// - Throws: `rpc/not-found`.
    func message(
        _ account: AccountID, _ transaction: Transaction
    ) throws -> GatewayV1.AdminAccount {
        guard let row = try transaction.account(account) else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        return try message(
            row, try answers.facts(row, in: transaction), try transaction.suspension(account),
            showsPersonal: false)
    }
}

extension AccountAdminHandler {
    /// Masks addresses and phone numbers for operators who did not request personal data. The
    /// result is enough to recognise an address that a person has just named, and too little to
    /// write to it.
    enum MaskedText {
        /// `ada@example.org` → `a…@example.org`.
        static func email(_ address: String) -> String {
            guard let at = address.lastIndex(of: "@"), let first = address.first, first != "@"
            else {
                return address.isEmpty ? "" : "…"
            }
            return "\(first)…\(address[at...])"
        }

        /// `+4915112345678` → `+49…78`. Country codes have up to three digits; two of them are
        /// enough.
        static func phone(_ number: String) -> String {
            // In a shorter number, both ends together would be most of the number.
            guard number.count >= 8 else { return number.isEmpty ? "" : "…" }
            return "\(number.prefix(3))…\(number.suffix(2))"
        }
    }
}

/// The caller of an admin rpc: checks that the application may look up and suspend accounts (I-09),
/// and names the person for the audit trail.
///
///     caller                           actor of the request   actor in the audit trail
///     the tool                         none, ann              tool, tool/ann
///     the gateway, for `support`       none, ann              gateway/support, gateway/support/ann
///     any other application            any                    none: `rpc/permission-denied`
///
/// Attack: a compromised gateway reads every address and suspends every account. So the gateway may
/// not call these rpcs unless the operator allows it (`account-admins`). Whom it names as its
/// application permits nothing: one that names `tool` is recorded as `gateway/tool`.
struct AdminCaller: Sendable {
    /// In bytes: an actor's name of 64 bytes, preceded by the name of the application that called
    /// the gateway.
    private static let actorBytesMax = 128

    /// As in the table.
    let actor: String

    /// The caller of `context`, on behalf of `actor`.
    /// - Throws: `rpc/permission-denied`; `rpc/invalid-argument` for a name that is too long or has
    ///   characters that could break the one line of an audit record.
    init(
        _ context: CallContext, actor: String, _ settings: AccountLifeSettings
    ) throws(ServiceError) {
        let admins = CallContext.operators.union(settings.accountAdmins)
        guard admins.contains(context.application) else { throw ServiceError(.permissionDenied) }
        // Only the gateway has checked whom it names.
        let isGateway = context.application == CallContext.gateway
        let behind = isGateway ? context.metadata[Metadata.Key.application] ?? "" : ""
        let named = [behind, actor].filter { !$0.isEmpty }.joined(separator: "/")
        guard named.utf8.count <= Self.actorBytesMax, named.allSatisfy(BackendCalls.isPlain)
        else { throw ServiceError(.invalidArgument, fields: ["actor"]) }
        self.actor = named.isEmpty ? context.application : "\(context.application)/\(named)"
    }
}

extension AuditEvent {
    /// The event with the actor who caused it.
    func by(_ caller: AdminCaller) -> AuditEvent { by(caller.actor) }
}
