import Glibc

/// What a program does with the file or folder that a setting names, and so what `--check` tries.
/// Nothing is opened or changed.
package enum PathUse: Sendable {
    /// Reads it.
    case input
    /// Reads it, and refuses to start if others may write it.
    case trusted
    /// Reads a secret from the file, and refuses to start if others may read it.
    case secret
    /// Reads the key files in the folder.
    case keys
    /// Writes into the folder. Makes it if it is missing.
    case store
    /// Reads the key files in the folder. Makes those that are missing, and the folder with the
    /// folders above it.
    case ownKeys
    /// Makes it, or does not use it.
    case untried

    /// What would keep the program from starting, as sentences with the path.
    func findings(_ path: String) -> [String] {
        switch self {
        case .untried: []
        case .input: Self.unreadable(path)
        case .trusted: Self.unreadable(path) + Self.exposed(path, to: 0o022)
        case .secret: Self.unreadable(path) + Self.exposed(path, to: 0o077)
        case .keys: Self.unreadable(path) + Self.exposedKeys(in: path)
        case .store: Self.unwritable(path, makesParents: false)
        case .ownKeys:
            access(path, F_OK) == 0
                ? Self.unreadable(path) + Self.exposedKeys(in: path)
                : Self.unwritable(path, makesParents: true)
        }
    }

    private static func unreadable(_ path: String) -> [String] {
        FileText.unreadable(path).map { ["\(path): \($0.sentence)"] } ?? []
    }

    /// A folder that cannot be written, or cannot be made.
    private static func unwritable(_ path: String, makesParents: Bool) -> [String] {
        let isMissing = access(path, F_OK) != 0
        var folder = isMissing ? parent(of: path) : path
        while makesParents, folder != "/", folder != ".", access(folder, F_OK) != 0 {
            folder = parent(of: folder)
        }
        let verb = isMissing ? "made" : "written"
        // With "/." a file fails too.
        guard access("\(folder)/.", W_OK | X_OK) != 0 else { return [] }
        return ["\(path): the folder cannot be \(verb): " + String(cString: strerror(errno))]
    }

    private static func parent(of path: String) -> String {
        let parts = path.split(separator: "/")
        let above = parts.dropLast().joined(separator: "/")
        if path.hasPrefix("/") { return "/" + above }
        return above.isEmpty ? "." : above
    }

    /// Private keys that others may read or write, and public ones that others may write.
    private static func exposedKeys(in folder: String) -> [String] {
        (Files.names(in: folder) ?? []).flatMap { name in
            if name.hasSuffix(".key") { return exposed("\(folder)/\(name)", to: 0o077) }
            return name.hasSuffix(".pub") ? exposed("\(folder)/\(name)", to: 0o022) : []
        }
    }

    private static func exposed(_ path: String, to forbidden: mode_t) -> [String] {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & forbidden != 0 else { return [] }
        let (deed, mode) = forbidden == 0o022 ? ("written", "644") : ("read or written", "600")
        return ["\(path): can be \(deed) by others: chmod \(mode) \(path)"]
    }
}
