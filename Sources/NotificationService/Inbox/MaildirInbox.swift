import Dispatch
import Glibc
import ServiceRuntime

/// The inbox of a machine without a mail server: a Maildir in the data folder, with one file per
/// mail, readable by any mail program and by `postern inbox`. Source:
/// https://cr.yp.to/proto/maildir.html
///
/// A file is written to `tmp`, synced to disk, and then renamed into `new`, so that no reader sees
/// a partial mail and no crash leaves one. Its name is derived from the message's id: a delivery
/// that is repeated after a crash replaces the mail instead of duplicating it.
final class MaildirInbox: MailRoute {
    /// The folder that holds `tmp`, `new` and `cur`.
    let folder: String
    /// fsync(2) blocks, and the threads of the task executor must not block.
    private let queue = DispatchQueue(label: "postern.inbox")

    /// The inbox in `folder`. Creates it if necessary, accessible to its owner only.
    /// - Throws: `InboxError`.
    init(folder: String) throws(InboxError) {
        self.folder = folder
        for path in [folder] + ["tmp", "new", "cur"].map({ "\(folder)/\($0)" }) {
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw InboxError(path: path, errno: errno)
            }
        }
    }

    func deliver(_ mail: MailMessage) async -> DeliveryOutcome {
        await keep(mail.bytes, of: mail.id, acceptedAt: mail.date)
    }

    /// Stores a message of any channel in mail form.
    func keep(
        _ bytes: [UInt8], of id: MessageID, acceptedAt: Timestamp
    ) async -> DeliveryOutcome {
        let name = "\(acceptedAt.seconds).\(id.text).postern"
        return await withCheckedContinuation { continuation in
            queue.async { [folder] in
                do throws(InboxError) {
                    try Self.place(bytes, name, in: folder)
                    continuation.resume(returning: .taken)
                } catch {
                    continuation.resume(returning: .failed("inbox-\(error.errno)"))
                }
            }
        }
    }

    private static func place(
        _ bytes: [UInt8], _ name: String, in folder: String
    ) throws(InboxError) {
        let draft = "\(folder)/tmp/\(name)"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw InboxError(path: draft, errno: errno) }
        do throws(InboxError) {
            defer { close(file) }
            try write(bytes, to: file, draft)
            guard fsync(file) == 0, rename(draft, "\(folder)/new/\(name)") == 0 else {
                throw InboxError(path: draft, errno: errno)
            }
        } catch {
            unlink(draft)
            throw error
        }
        try syncFolder("\(folder)/new")
    }

    private static func write(
        _ bytes: [UInt8], to file: Int32, _ path: String
    ) throws(InboxError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw InboxError(path: path, errno: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// A rename is durable only once its folder is synced (fsync(2)).
    private static func syncFolder(_ path: String) throws(InboxError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InboxError(path: path, errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw InboxError(path: path, errno: errno) }
    }
}

/// A file or folder of the inbox on which a system call failed.
struct InboxError: Error, Hashable, CustomStringConvertible {
    /// The path.
    let path: String
    /// The system's error number.
    let errno: Int32

    /// The text for the operator.
    var description: String { "\(path): \(String(cString: strerror(errno)))" }
}
