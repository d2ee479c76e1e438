extension Store {
    /// Rejects a key that several services have alike, if it is not the one that this store was
    /// first used with. Only a store on a server knows it: one in a file is used on one machine,
    /// beside one file of the key. Of two first starts at once, one writes the value, and the other
    /// is rejected.
    /// - Parameters:
    ///   - name: the key's name.
    ///   - check: a keyed hash under the key, for this purpose only.
    ///   - file: the key's file, for the error.
    /// - Throws: `StoreError.otherHostsKey`; what `write` and `read` throw.
    package func requireSharedKey(_ name: String, check: [UInt8], file: String) async throws {
        guard isOnServer else { return }
        var stored = try await read { try $0.sharedKeyCheck(name) }
        if stored == nil {
            stored = try await write(about: [.table("key_checks")]) { transaction in
                if let stored = try transaction.sharedKeyCheck(name) { return stored }
                try transaction.put(
                    "INSERT INTO key_checks (name, check_value) VALUES (?, ?)",
                    [.text(name), .blob(check)])
                return check
            }
        }
        guard stored == check else { throw otherKey(file) }
    }
}

extension SQLSession {
    /// The check value of a shared key; nil in a store that was not used with it yet.
    fileprivate func sharedKeyCheck(_ name: String) throws -> [UInt8]? {
        try queryOne("SELECT check_value FROM key_checks WHERE name = ?", [.text(name)]) {
            try $0.blob(0)
        }
    }
}
