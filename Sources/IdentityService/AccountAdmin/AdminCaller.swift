import RPC
import ServiceRuntime
import Storage

/// The caller of an admin rpc: checks that the application may look up and suspend accounts (I-09),
/// and names the person for the audit trail.
///
/// Attack: a compromised gateway reads every address and suspends every account. So the gateway may
/// not call these rpcs unless the operator allows it (`account-admins`).
struct AdminCaller: Sendable {
    /// In bytes: an actor's name of 64 bytes, preceded by the name of the application that passed
    /// it to the gateway.
    private static let actorBytesMax = 128

    /// `tool`, or `tool/ann` if the caller names the person.
    let actor: String

    /// The caller of `context`, on behalf of `actor`.
    /// - Throws: `rpc/permission-denied`; `rpc/invalid-argument` for a name that is too long or has
    ///   characters that could break the one line of an audit record.
    init(
        _ context: CallContext, actor: String, _ settings: IdentitySettings
    ) throws(ServiceError) {
        let admins = CallContext.operators.union(settings.accountAdmins)
        guard admins.contains(context.application) else { throw ServiceError(.permissionDenied) }
        guard actor.utf8.count <= Self.actorBytesMax, actor.allSatisfy(Self.isPlain) else {
            throw ServiceError(.invalidArgument, fields: ["actor"])
        }
        self.actor = actor.isEmpty ? context.application : "\(context.application)/\(actor)"
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "-_.:@/ ".contains(character)
    }
}

extension AuditEvent {
    /// The event with the actor who caused it.
    func by(_ caller: AdminCaller) -> AuditEvent {
        var event = self
        event.actor = caller.actor
        return event
    }
}
