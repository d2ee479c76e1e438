package import Addresses
package import Logging
package import ServiceRuntime

/// Where addresses are, by the operator's place file (G-08, G-22). A file that is replaced is read
/// again while the program runs; one with mistakes leaves the former in force. It is followed by
/// its stamp: a file of cities is too large to be read every two seconds.
package final class Places: Sendable {
    private let path: String?
    private let stamp: FileStamp?
    private let database: Reloadable<PlaceDatabase?>
    /// What was wrong with the file at the start; nil for nothing.
    package let mistake: String?

    /// The file at `path`; nil for none, with which every place is unknown. A file with mistakes is
    /// none too.
    package init(file path: String?) {
        self.path = path
        stamp = path.flatMap { FileStamp(at: $0) }
        guard let path else {
            database = Reloadable(nil)
            mistake = nil
            return
        }
        do throws(PlaceFileMistake) {
            database = Reloadable(try PlaceDatabase(path: path))
            mistake = nil
        } catch {
            database = Reloadable(nil)
            mistake = "\(path) \(error.text)"
        }
    }

    /// Where an address is; nil if that is unknown.
    package func place(of address: ClientAddress) -> Place? {
        database.value?.place(of: address)
    }

    /// The file, to be read again while the program runs; nil if there is none.
    package func followed(_ logger: Logger) -> FollowedFiles<FileStamp?>? {
        guard let path else { return nil }
        return FollowedFiles(
            path, setting: "place-file", current: stamp,
            log: .init(
                logger, reloaded: ("gateway.places.reloaded", "place file reloaded"),
                failed: (
                    "gateway.places.reload.failed",
                    "reloading the place file failed; the previous one stays in force"
                )),
            read: { FileStamp(at: path) },
            use: { [database] _ in
                do throws(PlaceFileMistake) {
                    database.replace(try PlaceDatabase(path: path))
                    return []
                } catch {
                    return ["it \(error.text)"]
                }
            })
    }
}
