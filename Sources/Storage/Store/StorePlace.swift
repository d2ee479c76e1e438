/// Where a store is.
package enum StorePlace: Sendable {
    /// In files of this folder, `NAME.sqlite` and others beside it.
    case folder(String, name: String, engine: any SQLEngine = SQLiteEngine())
    /// In a schema of a server. The folder has what the service keeps in files.
    case server(ServerSettings, folder: String, name: String)

    /// The folder of the service's files.
    package var folder: String {
        switch self {
        case .folder(let folder, _, _), .server(_, let folder, _): folder
        }
    }

    /// The store's name.
    package var name: String {
        switch self {
        case .folder(_, let name, _), .server(_, _, let name): name
        }
    }

    /// The database file, or what people call the store on a server.
    package var location: String {
        switch self {
        case .folder(let folder, let name, _): "\(folder)/\(name).sqlite"
        case .server(let settings, _, _): settings.place
        }
    }

    /// Where the copy for a backup is made.
    var backupCopy: String { "\(folder)/\(name).backup-copy" }
}
