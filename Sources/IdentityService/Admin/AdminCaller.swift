import CallRecords
import RPC
import ServiceRuntime
import Storage

/// Who may look accounts up and stop them (I-09), and how the audit trail names whoever does.
///
/// Attack: a gateway that was taken over reads every address and stops every account. So it is no
/// admin unless the operator says so (`account-admins`).
struct AdminCaller: Sendable {
    /// A name of 64 bytes, behind that of the application that told it to the gateway.
    private static let actorBytesMax = 128

    /// `tool`, or with the name that the caller gives `tool/ann`.
    let actor: String

    /// The caller of `context`, on behalf of `actor`.
    /// - Throws: `rpc/permission-denied`; `rpc/invalid-argument` for a name that cannot stand in one
    ///   line of a record.
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
    /// The event, with who had it done.
    func by(_ caller: AdminCaller) -> AuditEvent {
        var event = self
        event.actor = caller.actor
        return event
    }
}
