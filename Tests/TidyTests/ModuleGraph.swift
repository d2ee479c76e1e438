/// Which module may import which.
///
/// A new module gets its line here, and its row in the table of modules in `Sources/README.md`.
enum ModuleGraph {
    /// Lowest layer first: a module may import only modules above its own line, and of those only
    /// these.
    static let modules: [(name: String, imports: Set<String>)] = [
        ("JSON", []),
        ("Texts", []),
        ("ServiceRuntime", ["JSON", "Texts", "CYAML"]),
        ("Addresses", ["ServiceRuntime", "CIDN"]),
        ("Places", ["Addresses", "ServiceRuntime", "CMaxMindDB"]),
        ("Cryptography", ["ServiceRuntime", "JSON", "COpenSSL", "CArgon2", "CCrypt"]),
        ("Messages", ["Cryptography", "JSON", "CMessages"]),
        (
            "Storage",
            ["Cryptography", "Addresses", "ServiceRuntime", "JSON", "CSQLite", "CPostgreSQL"]
        ),
        ("Outbound", ["Cryptography", "Addresses", "ServiceRuntime", "CCurl"]),
        ("RPC", ["Messages", "Cryptography", "ServiceRuntime"]),
        ("Contracts", ["RPC", "Messages", "Cryptography", "ServiceRuntime", "JSON"]),
        (
            "PosternClient",
            ["Contracts", "RPC", "Messages", "Cryptography", "ServiceRuntime", "JSON"]
        ),
        // Shared by the programs: settings, logs, keys, the server, start and stop.
        (
            "Hosting",
            ["Contracts", "RPC", "Messages", "Storage", "Cryptography", "ServiceRuntime", "JSON"]
        ),
        ("RateLimitService", serviceFloor.union(["Addresses", "JSON"])),
        ("SessionService", serviceFloor.union(["JSON"])),
        ("NotificationService", serviceFloor.union(["Outbound", "Addresses", "JSON", "Texts"])),
        // Identity is four modules over one store, each of which knows only those above it: who may
        // sign in knows neither what accounts keep nor how they end.
        ("IdentityService", serviceFloor.union(["Outbound", "Addresses", "JSON"])),
        ("PersonalData", serviceFloor.union(["IdentityService", "Addresses", "JSON", "CZlib"])),
        (
            "AccountLife",
            serviceFloor.union(["PersonalData", "IdentityService", "Addresses", "JSON"])
        ),
        (
            "IdentityAssembly",
            serviceFloor.union(["AccountLife", "PersonalData", "IdentityService"])
        ),
        // The gateway has no store: no Storage.
        (
            "GatewayService",
            serviceFloor.subtracting(["Storage"]).union(["Addresses", "Places"])
        ),
        // The web service has no store, and calls the gateway only.
        (
            "WebService",
            serviceFloor.subtracting(["Storage"]).union([
                "Addresses", "JSON", "Texts", "CNGHTTP2", "COpenAPI", "CQREncode",
            ])
        ),
        ("postern-rate-limit", programFloor.union(["RateLimitService"])),
        ("postern-session", programFloor.union(["SessionService"])),
        ("postern-notification", programFloor.union(["NotificationService"])),
        ("postern-identity", programFloor.union(identity)),
        ("postern-gateway", programFloor.union(["GatewayService"])),
        ("postern-web", programFloor.union(["WebService"])),
        // The tool opens stores that no service has open, to restore them: it has to know each
        // service's schema, and what its next start ends. It checks files of rules as identity does.
        (
            "postern",
            programFloor.union(identity).union([
                "SessionService", "RateLimitService", "NotificationService", "WebService",
                "Addresses", "JSON",
            ])
        ),
        ("Programs", []),
    ]

    /// Modules that are a part of another one's service: they share its store and its calls.
    static let parts = [
        "PersonalData": "IdentityService", "AccountLife": "IdentityService",
        "IdentityAssembly": "IdentityService",
    ]

    /// The modules of identity's service.
    private static let identity = Set(parts.keys).union(["IdentityService"])

    /// The modules that every service may import. A service never imports another service.
    private static let serviceFloor: Set<String> = [
        "Contracts", "RPC", "Messages", "Cryptography", "Storage", "ServiceRuntime",
    ]

    /// The modules that every program may import.
    private static let programFloor = serviceFloor.union(["Hosting"])

    /// C targets: generated C, module maps and shims.
    static let cModules: Set<String> = [
        "CMessages", "COpenSSL", "CSQLite", "CArgon2", "CCrypt", "CCurl", "CIDN", "CYAML",
        "CZlib", "CNGHTTP2", "COpenAPI", "CPostgreSQL", "CMaxMindDB", "CQREncode",
    ]

    /// Programs and the tool: only they use the system clock, arguments and standard output.
    static func isProgram(_ module: String) -> Bool { module.hasPrefix("postern") }

    /// The module that a path below `Sources` belongs to.
    static func module(of path: String) -> String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }

    /// The service that a path below `Sources` belongs to, by the name of its module, or of the one
    /// that its module is a part of.
    static func service(of path: String) -> String? {
        module(of: path).map { parts[$0] ?? $0 }
    }

    /// The folders of a service's modules.
    static func folders(of service: String) -> [String] {
        ([service] + parts.filter { $0.value == service }.keys.sorted()).map { "Sources/\($0)/" }
    }
}
