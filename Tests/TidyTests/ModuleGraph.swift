/// Who may import whom: the walls of the house.
///
/// A new module gets its line here and in the table of modules in `Sources/README.md`.
enum ModuleGraph {
    /// Bottom first: a module imports only what stands above its own line, and of that only this.
    static let modules: [(name: String, imports: Set<String>)] = [
        ("ServiceRuntime", []),
        ("EmailAddresses", ["ServiceRuntime", "CIDN"]),
        ("PhoneNumbers", ["ServiceRuntime"]),
        ("Cryptography", ["ServiceRuntime", "COpenSSL", "CArgon2", "CCrypt"]),
        ("Messages", ["Cryptography", "CMessages"]),
        ("Storage", ["ServiceRuntime", "CSQLite"]),
        ("Outbound", ["Cryptography", "ServiceRuntime", "CCurl"]),
        ("RPC", ["Messages", "Cryptography", "ServiceRuntime"]),
        ("Contracts", ["RPC", "Messages", "Cryptography", "ServiceRuntime"]),
        ("SessionVerifier", ["Contracts", "RPC", "Messages", "Cryptography", "ServiceRuntime"]),
        // What a call leaves in a store: its idempotency record, its origin in the audit trail.
        (
            "CallRecords",
            ["Contracts", "RPC", "Messages", "Storage", "Cryptography", "ServiceRuntime"]
        ),
        // What the five programs share: settings, logs, keys, the server, starting and stopping.
        ("Hosting", ["Contracts", "RPC", "Messages", "Cryptography", "ServiceRuntime"]),
        ("RateLimitService", serviceFloor),
        ("SessionService", serviceFloor),
        ("NotificationService", serviceFloor.union(["Outbound", "EmailAddresses"])),
        (
            "IdentityService",
            serviceFloor.union(["EmailAddresses", "PhoneNumbers", "Outbound"])
        ),
        // The gateway keeps nothing: no Storage.
        (
            "GatewayService",
            serviceFloor.subtracting(["Storage", "CallRecords"])
                .union(["EmailAddresses", "PhoneNumbers"])
        ),
        ("postern-rate-limit", programFloor.union(["RateLimitService"])),
        ("postern-session", programFloor.union(["SessionService"])),
        ("postern-notification", programFloor.union(["NotificationService", "Outbound"])),
        ("postern-identity", programFloor.union(["IdentityService"])),
        ("postern-gateway", programFloor.union(["GatewayService"])),
        ("postern", programFloor.union(["NotificationService", "EmailAddresses"])),
    ]

    /// What a service stands on. A service never imports a service.
    private static let serviceFloor: Set<String> = [
        "CallRecords", "Contracts", "RPC", "Messages", "Cryptography", "Storage", "ServiceRuntime",
    ]

    /// What a program stands on.
    private static let programFloor = serviceFloor.union(["Hosting"])

    /// C targets: generated C, module maps and shims.
    static let cModules: Set<String> = [
        "CMessages", "COpenSSL", "CSQLite", "CArgon2", "CCrypt", "CCurl", "CIDN",
    ]

    /// Programs and the tool, where the outside world comes in: clock, arguments, printing.
    static func isProgram(_ module: String) -> Bool { module.hasPrefix("postern") }

    /// The module that a path below `Sources` belongs to.
    static func module(of path: String) -> String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }
}
