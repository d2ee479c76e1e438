package import Logging
import RPC
package import ServiceRuntime

/// Follows an operator's folder of templates (N-05): a change holds a few seconds later, without a
/// restart. A folder with a fault in it changes nothing and is told in the log, all faults at once.
package struct TemplateFolder: Sendable {
    private let path: String
    private let files: FollowedFiles<OperatorTemplates>
    private let logger: Logger

    /// Follows the folder of `settings`; nil where there is none.
    package init?(_ settings: TemplateSettings, logger: Logger) {
        guard let path = settings.folder else { return nil }
        let live = settings.live
        self.path = path
        self.logger = logger
        files = FollowedFiles(
            inForce: settings.operators, read: { OperatorTemplates(folder: path) },
            use: { operators in
                do throws(TemplateFaults) {
                    live.replace(
                        try TemplateCatalogue(operators, default: live.value.standard))
                    return []
                } catch {
                    return error.faults.map(\.description)
                }
            })
    }

    /// Looks until cancelled.
    package func run(_ time: any Time) async {
        while true {
            do {
                try await time.sleep(for: FollowedFiles<OperatorTemplates>.interval)
            } catch {
                return  // cancelled, which is how it ends
            }
            look()
        }
    }

    /// Reads the folder once; what is in it holds after the second time.
    package func look() {
        switch files.look() {
        case .unchanged: return
        case .used:
            logger.info(
                "notification.templates.reloaded", "templates reloaded",
                fields: [.file: .text(path)])
        case .refused(let mistakes):
            logger.error(
                "notification.templates.reload.failed",
                "reloading templates failed; the previous ones stay in force",
                fields: [
                    .file: .text(path), .count: .count(mistakes.count),
                    .detail: .text(mistakes.joined(separator: "; ")),
                ])
        }
    }
}
