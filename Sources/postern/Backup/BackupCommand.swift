import ArgumentParser
import Cryptography
import Glibc
import ServiceRuntime

/// `postern backup`: backups of all stores, made while the services run.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Makes backups of all stores while the services run.",
        discussion: """
            A backup is one file: the stores of all services in the state of one moment, encrypted \
            by the program age (age-encryption.org; the Debian package age). Nothing in it can be \
            opened without the master keys, which it contains only with --with-keys.

              postern backup key backup-key.txt              once; keep this file elsewhere
              postern backup --recipient age1…               a backup, in the current folder
              postern backup --recipient age1… --to FOLDER --every 24h --keep 14

            `postern backup create --help` lists all options; \
            `age -d -i backup-key.txt FILE | tar t` lists what a backup contains.
            """,
        subcommands: [Create.self, VerifyCommand.self, Key.self], defaultSubcommand: Create.self)

    /// `postern backup create`, which is what `postern backup` does.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a backup.")

        @Option(
            help: ArgumentHelp(
                """
                A folder, or a file NAME.age that does not exist. Default: a file with the time in \
                its name, in the current folder.
                """, valueName: "path"))
        var to: String?

        @OptionGroup var recipients: RecipientOptions

        @Flag(
            help: """
                Include the master keys of --keys: who can open the backup can then open all that \
                is in it.
                """)
        var withKeys = false

        @OptionGroup var keys: KeysOption

        @Option(
            help: ArgumentHelp(
                """
                Make one whenever the newest in the folder is that old, such as 24h, at least \
                60s, until the command is stopped. After a failure it tries again in 5 minutes.
                """, valueName: "interval"))
        var every: Interval?

        @Option(
            help: ArgumentHelp(
                """
                How many backups to keep in the folder: after each one, the oldest above that \
                count are removed. Default: all.
                """, valueName: "count"))
        var keep: Int?

        @OptionGroup var services: EndpointsOption
        @OptionGroup var output: OutputOption

        func validate() throws {
            // As a shell passes a variable that is not set.
            guard to != "" else { throw ValidationError("--to is empty") }
            guard keep.map({ $0 > 0 }) ?? true else {
                throw ValidationError("--keep is 1 or more")
            }
            if keep != nil || every != nil, case .file = BackupTarget(to) {
                throw ValidationError("--every and --keep need a folder that exists: --to FOLDER")
            }
            if case .file(let path) = BackupTarget(to), !path.hasSuffix(BackupName.suffix) {
                throw ValidationError(
                    "--to: there is no folder \(path), and a file for a backup is called "
                        + "NAME\(BackupName.suffix)")
            }
            guard withKeys || keys.keys == nil else {
                throw ValidationError("--keys is for backups that contain them: --with-keys")
            }
            guard !withKeys || keys.folder != nil else {
                throw ValidationError("say where the master keys are: --keys FOLDER")
            }
        }

        func run() async throws {
            let (recipients, age) = (try recipients.all(), AgeProgram.installed)
            try age.tryOut(recipients)
            let job = BackupJob(
                endpoints: services.endpoints, target: BackupTarget(to), recipients: recipients,
                age: age, keysFolder: withKeys ? keys.folder : nil, keep: keep ?? .max,
                time: SystemTime())
            let (interval, output) = (every?.duration, output.output)
            do {
                try await Interruption.cancels(on: [SIGINT, SIGTERM]) {
                    guard let interval else { return try Self.show(try await job.make(), output) }
                    try await job.repeated(every: interval) { try Self.show($0, output) }
                }
            } catch is CancellationError where interval != nil {
                // The end of a service.
            } catch is CancellationError {
                throw ToolError("stopped: no backup was made")
            } catch let failure as ServiceFailure {
                job.lines(about: failure).forEach(Screen.error)
                throw ExitCode(1)
            }
        }

        private static func show(
            _ summary: BackupSummary, _ form: OutputOption.Form?
        ) throws {
            var output = OutputOption()
            output.output = form
            try output.show(summary.json, text: summary.text)
        }

        /// A duration on the command line, `24h`.
        struct Interval: Hashable, ExpressibleByArgument {
            let duration: Duration

            init?(argument text: String) {
                guard let duration = DurationText.read(text), duration >= BackupSchedule.intervalMin
                else { return nil }
                self.duration = duration
            }
        }
    }

    /// `postern backup key FILE`.
    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates an identity that opens backups, and prints its recipient.",
            discussion: """
                Keep the file where the backups and the services are not: who has it can open \
                each backup that was made for its recipient, and without it none can be opened. \
                It is what age-keygen creates, the second program of the Debian package age.
                """)

        @Argument(help: "The file to create.")
        var file: String

        func run() throws {
            let key = try AgeProgram.newKey(named: file)
            try SecretFile.create(file, key.identity)
            Screen.line(key.recipient)
            Screen.error(
                "\(file) opens the backups that are made for this recipient: keep it elsewhere")
        }
    }
}
