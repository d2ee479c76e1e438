import ArgumentParser
import Cryptography
import Glibc
import Hosting
import RPC
import ServiceRuntime

/// `postern applications`: the applications that may call, and their keys (X-03).
struct ApplicationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "applications",
        abstract:
            "Creates, lists, rotates and removes the keys of applications.",
        discussion: """
            A key is an Ed25519 pair as PEM. The private key, NAME.KEYID.key, is for the \
            application only; servers get the public key, NAME.KEYID.pub, and load it within \
            seconds, without a restart.

            Works on the folder of `postern up` (--data), and on the one of \
            docker/compose/secrets.sh (--data .postern/compose, as root). If you run the programs \
            yourself, `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout` create the \
            same files.
            """,
        subcommands: [List.self, Add.self, Rotate.self, Remove.self], defaultSubcommand: List.self)

    /// `postern applications list`.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists every key: its application, its servers, its private key.",
            discussion: """
                Reports on standard error which files are not keys and why, and then exits with 1.
                """)

        @OptionGroup var folder: Folder
        @OptionGroup var output: OutputOption

        func run() throws {
            let (keys, otherFiles) = try StoredKey.all(in: folder.keys())
            try output.show(keys.map(\.row))
            let errors = keys.flatMap(\.errors) + otherFiles
            errors.forEach(Screen.error)
            if !errors.isEmpty { throw ExitCode(1) }
        }
    }

    /// `postern applications add NAME`.
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a key for another application, and permits it to call.",
            discussion: """
                Example: postern applications add shop --client-address

                Prints the file of the private key: move it to the application's machine. With \
                --public the application has created the pair itself and keeps its private key.
                """)

        @Argument(help: "Its name: small letters, digits and hyphens.")
        var name: String

        @Option(help: "A server that it calls; may be repeated (default: gateway).")
        var server: [String] = []

        @Option(
            help: """
                A method that it may call, or SERVICE/*; may be repeated (default: all but those for \
                named callers only).
                """)
        var method: [String] = []

        @Flag(help: "It may assert its user's address: for a backend of your own.")
        var clientAddress = false

        @Option(name: .customLong("public"), help: "The file of its public key, as PEM.")
        var publicHalf: String?

        @OptionGroup var folder: Folder

        func validate() throws {
            let isName =
                (1...63).contains(name.utf8.count) && name.first != "-"
                && name.utf8.allSatisfy { byte in
                    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
                }
            guard isName else {
                throw ValidationError("NAME has 1 to 63 small letters, digits and hyphens")
            }
            for server in server where !Endpoints.services.contains(server) {
                throw ValidationError(
                    "--server is one of \(Endpoints.services.joined(separator: ", "))")
            }
            for method in method {
                guard MethodPattern(method) != nil else {
                    throw ValidationError(
                        "\(method) is not a method; one is postern.gateway.v1.Auth/*")
                }
                try MethodDirectory.compiled().require(method)
            }
        }

        func run() throws {
            let keys = try folder.keys()
            guard !ProgramDescription.ourApplications.contains(name),
                try StoredKey.all(in: keys).keys.allSatisfy({ $0.application != name })
            else {
                throw ToolError(
                    "\(name) has a key: `postern applications rotate \(name)` creates another")
            }
            let servers = server.isEmpty ? ["gateway"] : server
            if let publicHalf {
                let pem = try Ed25519VerifyingKey(file: publicHalf).pem
                let keyID = try keys.nextKeyID(of: name)
                for server in servers { try keys.write(pem, of: name, keyID, for: server) }
                Screen.line("\(name) has the key \(keyID)")
            } else {
                Screen.line("made \(try keys.makeKey(of: name, for: servers))")
            }
            if servers.contains("gateway") {
                try keys.gatewayCallers.add(
                    name, (clientAddress ? ["client-address"] : []) + method)
            }
            let others = servers.filter { $0 != "gateway" }
            if !others.isEmpty {
                let words = others.joined(separator: " and ")
                Screen.line("name \(name) in the setting callers of \(words), and restart")
            }
        }
    }

    /// `postern applications rotate NAME`.
    struct Rotate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates another key for an application; its earlier ones stay valid.",
            discussion: """
                Postern's own programs load the new key within a minute. Give any other \
                application the printed file; then remove the earlier key with \
                `postern applications remove NAME --key KEYID`.
                """)

        @Argument(help: "As `postern applications list` shows it.")
        var name: String

        @OptionGroup var folder: Folder

        func run() throws {
            let keys = try folder.keys()
            let earlier = try StoredKey.all(in: keys).keys.filter { $0.application == name }
            guard !earlier.isEmpty else { throw ToolError("\(name) has no key") }
            let servers = Set(earlier.flatMap(\.servers)).sorted()
            let file = try keys.makeKey(of: name, for: servers)
            Screen.line("made \(file)")
            if let line = folder.composeHint(after: file, of: name) { Screen.line(line) }
            for key in earlier {
                Screen.line(
                    "then: postern applications remove \(name) --key \(key.keyID)"
                        + (folder.data == Folder.standard ? "" : " --data \(folder.data)"))
            }
        }
    }

    /// `postern applications remove NAME`.
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a key of an application, or the application itself.",
            discussion: """
                Servers end its connections within seconds. With --key the application keeps its \
                other keys.
                """)

        @Argument(help: "As `postern applications list` shows it.")
        var name: String

        @Option(help: "Only the key of this id.")
        var key: String?

        @OptionGroup var folder: Folder
        @OptionGroup var confirmation: ConfirmationOption

        func run() throws {
            let keys = try folder.keys()
            let all = try StoredKey.all(in: keys).keys.filter { $0.application == name }
            let ended = all.filter { key == nil || $0.keyID == key }
            let left = all.filter { key != nil && $0.keyID != key }
            guard !ended.isEmpty else {
                throw ToolError("\(name) has no key" + (key.map { " \($0)" } ?? ""))
            }
            let isUsable = left.contains { $0.errors.isEmpty }
            guard isUsable || !KeyFolders.applications.contains(name) else {
                throw ToolError(
                    "Postern needs a key of \(name): `postern applications rotate \(name)` first")
            }
            let files = ended.flatMap(\.files).joined(separator: ", ")
            try confirmation.confirm("deletes \(files), and \(name) can no longer call with it")
            if left.isEmpty { try keys.gatewayCallers.remove(name) }
            for key in ended {
                for file in key.files { try keys.remove(file) }
                Screen.line("removed the key \(key.keyID) of \(name)")
            }
            if !left.isEmpty { try folder.replaceInEndpoints(ended, of: name) }
        }
    }

    /// The option for the folder of the keys.
    struct Folder: ParsableArguments {
        static let standard = ".postern"

        @Option(
            help: """
                The folder of `postern up`, or of docker/compose/secrets.sh. The environment \
                variable POSTERN_ENDPOINTS sets the default: the folder of that file.
                """)
        var data = Endpoints.defaultFolder

        /// - Throws: `ToolError` for a folder without keys.
        func keys() throws -> KeyFolders {
            let keys = KeyFolders(path: "\(data)/keys")
            let folder = keys.server("gateway")
            guard access(folder, F_OK) == 0 else {
                throw ToolError(
                    "\(folder) cannot be read (\(String(cString: strerror(errno)))): "
                        + "start `postern up` or run docker/compose/secrets.sh first, or set "
                        + "--data")
            }
            return keys
        }

        /// What the operator has to do before an earlier key of the tool is removed, in a folder of
        /// docker/compose/secrets.sh. That folder has no endpoints file to update
        /// (`replaceInEndpoints`): compose passes the tool's key by its file name.
        func composeHint(after file: String, of name: String) -> String? {
            guard name == "tool", access("\(data)/endpoints.json", F_OK) != 0,
                let fileName = file.split(separator: "/").last
            else { return nil }
            return "then, in docker/compose/.env: POSTERN_TOOL_KEY=\(fileName)"
        }

        /// Replaces removed keys in `endpoints.json` by the newest remaining key.
        func replaceInEndpoints(_ ended: [StoredKey], of name: String) throws {
            let path = "\(data)/endpoints.json"
            let left = try ApplicationKey.currentFile(
                of: name, in: keys().home(of: name), now: SystemTime().now())
            guard access(path, F_OK) == 0, let left = left?.split(separator: "/").last else {
                return
            }
            let text = try String(decoding: TextFile.read(path), as: UTF8.self)
            let replaced = ended.reduce(text) { text, key in
                text.split(
                    separator: "/\(name).\(key.keyID).key\"", omittingEmptySubsequences: false
                )
                .joined(separator: "/\(left)\"")
            }
            if replaced != text { try TextFile.replace(path, with: replaced) }
        }
    }
}
