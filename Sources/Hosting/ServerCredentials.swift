import Logging
import RPC
import ServiceRuntime

/// The credentials of a program's server, which it reloads when they change: its certificate, and
/// the keys of its callers.
struct ServerCredentials: Sendable {
    let tls: ServerTLS?
    let applications: Applications
    /// The watched files. Changes are applied to `startedServer`.
    let watched: [CredentialWatch.Credential]
    /// Set once the server has started, which needs the credentials first; nil before that.
    let startedServer = Reloadable<RPCServer?>(nil)

    /// Reads all files for the first time.
    /// - Parameters:
    ///   - callersMethods: Restricts some callers to these methods, unless a list of callers names
    ///     others.
    ///   - webServices: The callers whose calls may carry application tokens, where there is no
    ///     list of callers. They may be without a key.
    ///   - methodNames: The server's methods. A callers file that names others is warned of.
    /// - Throws: An error about a file. A program must not start with incomplete credentials.
    init(
        _ settings: HostSettings, callersMethods: [String: [MethodPattern]] = [:],
        webServices: Set<String> = [], methodNames: [String] = [], time: any Time, logger: Logger
    ) throws {
        let startedServer = startedServer
        let callers = try CredentialWatch.Credential.following(
            .callers,
            paths: [settings.applicationsFolder]
                + [settings.credentials.callersFile].compactMap(\.self),
            use: { startedServer.value?.use($0) },
            // Later, an application without a key is not an error: removing the key locks the
            // application out.
            read: {
                let list = try Self.callers(settings, callersMethods, webServices)
                let applications = try Self.applications(
                    settings, list, webServices, needsKeys: startedServer.value == nil)
                // After all that can fail, since a read that failed is repeated.
                if let file = settings.credentials.callersFile {
                    Self.warn(of: list, in: file, methodNames, logger)
                }
                Self.warn(of: applications.withSharedKeys, logger)
                return applications
            })
        applications = callers.value.value
        guard let files = settings.credentials.serverFiles else {
            tls = nil
            watched = [callers.watched]
            return
        }
        let certificate = try CredentialWatch.Credential.following(
            .serverCertificate, paths: files.paths, expiresAt: { $0.expiresAt },
            use: { startedServer.value?.use($0) },
            read: { try ServerTLS(files, now: time.now()) })
        tls = certificate.value.value
        watched = [callers.watched, certificate.watched]
    }

    private static func callers(
        _ settings: HostSettings, _ methods: [String: [MethodPattern]],
        _ webServices: Set<String>
    ) throws -> CallersList {
        guard let file = settings.credentials.callersFile else {
            return CallersList(
                settings.callers, assertingClientAddress: settings.addressAsserters,
                carryingTokens: webServices, methods: methods)
        }
        return try CallersList(file: file).limited(to: methods)
    }

    private static func warn(
        of callers: CallersList, in file: String, _ methodNames: [String], _ logger: Logger
    ) {
        let former = callers.formerMethodNames
        if !former.isEmpty {
            logger.warning(
                "callers_file.former_method_names",
                "the callers file names methods by names that the next release does not accept",
                fields: [.detail: .text(former.joined(separator: ", "))])
        }
        let unknown = methodNames.isEmpty ? [] : callers.unknownMethods(of: methodNames)
        if !unknown.isEmpty {
            logger.warning(
                "callers_file.unknown_methods",
                "the callers file names methods that this program does not have",
                fields: [
                    .file: .text(file), .detail: .text(unknown.joined(separator: ", ")),
                ])
        }
    }

    private static func applications(
        _ settings: HostSettings, _ callers: CallersList, _ webServices: Set<String>,
        needsKeys: Bool
    ) throws -> Applications {
        try Applications(
            folder: settings.applicationsFolder, callers: callers,
            needsKeys: needsKeys && settings.credentials.clientRoots == nil, optional: webServices,
            sharedKeys: SharedKeyRule(
                ours: ProgramDescription.ourApplications,
                acceptsOthers: settings.acceptsSharedKeys))
    }

    private static func warn(of applications: [String], _ logger: Logger) {
        guard !applications.isEmpty else { return }
        logger.warning(
            "application_keys.shared",
            """
            applications authenticate by a shared secret: make an Ed25519 key \
            with `postern applications rotate`, then set accept-shared-keys=false
            """,
            fields: [.detail: .text(applications.joined(separator: ", "))])
    }
}
