import Glibc

/// Lists the names in a folder, sorted.
enum FolderListing {
    /// The names of all entries, sorted.
    /// - Throws: `ApplicationsError.noFolder`.
    static func fileNames(in folder: String) throws -> [String] {
        guard let directory = opendir(folder) else { throw ApplicationsError.noFolder(folder) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names.sorted()
    }
}
