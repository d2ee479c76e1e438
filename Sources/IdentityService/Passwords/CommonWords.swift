/// The base words of common passwords: names, pets, teams, heroes, curses, seasons and words for
/// things around a keyboard, in the languages of the apps' users. The selection is our own, in
/// lower case. `CommonPasswords` handles spellings and additions.
enum CommonWords {
    /// Whether `text` is one of the words, or one of them with an "s" at the end.
    static func has(_ text: ArraySlice<UInt8>) -> Bool {
        words.contains(text) || (text.last == UInt8(ascii: "s") && words.contains(text.dropLast()))
    }

    private static let words = Set(
        list.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
            .map { Array($0)[...] })

    private static let list = """
        password passwort passwd passwrd passw pass passe parola parol contrasena contraseña
        clave senha motdepasse mdp haslo heslo wachtwoord lozinka jelszo salasana adgangskode
        kennwort geheim secret secreto segredo segreto passcode passphrase pwd psswrd letmein
        letme enter login logon signin signup welcome willkommen bienvenue bienvenido benvenuto
        admin administrator root user username guest test tester testing temp temporary default
        changeme change master access system server service support manager owner boss demo
        sample example backup office company business internet google facebook twitter instagram
        youtube gmail yahoo hotmail amazon apple microsoft windows linux android iphone samsung
        nokia motorola sony playstation xbox nintendo computer laptop keyboard mouse monitor
        network wifi router modem hacker hack security secure private public trustno trust
        nopassword nopass none null blank open sesame opensesame abracadabra unlock locked
        iloveyou loveyou ilove iloveu luvyou love lover lovers loveme lovely loveable truelove
        mylove amor amore amour liebe teamo tequiero jetaime ichliebedich tiamo aishiteru babe
        baby babygirl babyboy honey sweetheart sweety sweetie sugar darling kiss kisses hugs
        heart hearts angel angels princess prince queen king kings lady girl girls boy boys man
        men woman forever always together family mother father mom mommy mama mum mummy dad
        daddy papa brother sister bro sis son daughter grandma grandpa wife husband friend
        friends friendship bestfriend amigo amigos friendly hello hallo hola bonjour salut ciao
        goodbye goodmorning thanks please sorry whatever nothing something anything everything
        nobody somebody everybody happy happiness smile smiley lucky luck sunny funny crazy
        silly stupid idiot loser winner champion legend hero number beautiful pretty cute sexy
        hottie hotness gorgeous handsome perfect awesome amazing super superstar star stars
        rockstar fuckyou fuckoff fuckme fuck fucker fucking shit bullshit asshole bitch bastard
        damn dick pussy penis vagina cock boobs tits butt porn porno sex sexsex horny naked slut
        whore bigdick bigcock blowjob cumshot orgasm hardcore playboy monkey dragon tiger lion
        eagle falcon hawk wolf wolves bear bears panther jaguar cougar puma leopard cheetah
        shark dolphin dolphins whale turtle snake cobra viper python spider scorpion butterfly
        bee beetle ant rabbit bunny hare rat hamster dog doggy doggie puppy hound bulldog cat
        kitty kitten kitkat pussycat horse pony unicorn donkey cow bull pig piggy sheep lamb
        goat chicken rooster duck goose swan parrot penguin owl raven robin cardinal elephant
        giraffe zebra rhino hippo kangaroo koala panda gorilla ape squirrel fox coyote badger
        beaver moose deer elk buffalo bison frog toad lizard iguana dinosaur trex phoenix
        griffin monster demon devil ghost vampire zombie witch wizard magic magician fairy pixie
        goblin troll football soccer baseball basketball hockey tennis golf golfer rugby cricket
        volleyball swimming swimmer runner running racing racer skater skate skateboard
        snowboard surfer surfing boxing wrestling karate judo ninja samurai kungfu fitness sport
        sports athlete captain coach referee goal goalie striker pitcher catcher slugger yankees
        redsox dodgers giants mets cubs bravos braves lakers celtics bulls knicks heat spurs
        warriors rockets pistons raiders steelers packers cowboys broncos patriots eagles
        redskins vikings saints falcons ravens bengals browns chargers chiefs panthers titans
        jets bills rangers bruins flyers redwings blackhawks penguins canucks maple leafs
        arsenal chelsea liverpool manchester manunited everton tottenham barcelona barca
        realmadrid madrid juventus juve milan inter roma napoli bayern dortmund schalke ajax
        feyenoord psv benfica porto sporting celtic galatasaray fenerbahce besiktas flamengo
        corinthians palmeiras santos boca river messi ronaldo ronaldinho neymar beckham zidane
        maradona pele kobe lebron jordan shaq tyson federer nadal superman batman spiderman
        ironman hulk wolverine catwoman joker superwoman wonderwoman captainamerica avenger
        avengers deadpool punisher xmen marvel starwars startrek skywalker vader darthvader yoda
        jedi obiwan hansolo chewbacca trooper stormtrooper enterprise spock picard matrix neo
        trinity morpheus terminator predator alien aliens gandalf frodo bilbo legolas gollum
        aragorn lordoftherings hobbit harrypotter hogwarts gryffindor slytherin dumbledore
        voldemort hermione pokemon pikachu charizard digimon naruto sasuke itachi goku vegeta
        dragonball onepiece luffy bleach inuyasha sailor sailormoon hellokitty snoopy garfield
        simpson simpsons homer bart scooby scoobydoo tweety tigger winnie pooh winniethepooh
        mickey mickeymouse minnie donald donaldduck goofy pluto bambi dumbo nemo simba mufasa
        shrek disney barbie bratz elmo spongebob patrick sponge dora smurf popeye bugsbunny
        roadrunner southpark cartman kenny familyguy stewie minecraft fortnite roblox halo
        warcraft worldofwarcraft starcraft diablo doom quake counter counterstrike callofduty
        zelda link mario supermario luigi sonic tetris pacman metroid megaman finalfantasy
        sephiroth cloud tekken subzero metallica megadeth slayer nirvana slipknot korn
        linkinpark greenday blink eminem rapper hiphop rocknroll guitar guitarist drummer drums
        piano music musica musik singer dancer dance dancing disco techno trance metal rock punk
        jazz blues beatles elvis lennon bowie acdc ironmaiden pinkfloyd ledzeppelin zeppelin
        hendrix marley bobmarley madonna britney shakira rihanna beyonce justin justinbieber
        bieber onedirection jonas hannah hannahmontana montana selena gomez tupac biggie snoop
        snoopdogg dogg usher tokiohotel mychemicalromance evanescence paramore coldplay oasis
        radiohead mustang ferrari porsche lamborghini maserati corvette camaro charger dodge
        ford chevy chevrolet cadillac pontiac firebird honda civic accord toyota corolla nissan
        skyline mazda subaru impreza suzuki yamaha kawasaki ducati harley davidson
        harleydavidson mercedes benz bmw audi volkswagen passat jetta peugeot renault citroen
        volvo saab skoda fiat opel bentley rollsroyce lexus infiniti hyundai hummer jeep
        wrangler truck trucker driver biker rider bike summer sommer verano verao ete estate
        winter invierno hiver inverno spring fruehling frühling primavera printemps autumn
        herbst fall otono otoño automne season january february march april june july august
        september october november december januar februar maerz märz mai juni juli oktober
        dezember enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
        diciembre janvier fevrier mars avril juin juillet aout septembre octobre novembre
        decembre monday tuesday wednesday thursday friday saturday sunday montag dienstag
        mittwoch donnerstag freitag samstag sonntag lunes martes miercoles jueves viernes sabado
        domingo lundi mardi mercredi jeudi vendredi samedi dimanche weekend holiday vacation
        birthday christmas xmas santa santaclaus easter halloween valentine newyear today
        tomorrow yesterday sunshine sun sunset sunrise sunflower moon moonlight moonbeam
        moonshine earth venus jupiter saturn galaxy universe space starlight stardust cosmic
        rainbow rain storm thunder lightning tornado hurricane blizzard snow snowball snowman
        snowflake ice iceman fire fireball fireman flame water wave ocean sea beach island lake
        mountain forest tree garden flower flowers rose roses lily daisy orchid tulip jasmine
        violet iris ivy cherry blossom nature desert valley shadow shadows dark darkness
        darkside night nightmare midnight knight light lights bright blackout red blue green
        yellow orange purple pink black white brown grey gray silver gold golden platinum
        diamond diamonds crystal ruby emerald sapphire pearl amber jade opal blackcat blackie
        whitey bluesky blueberry redhead apples banana bananas cherries strawberry raspberry
        blackberry lemon lime peach pear plum grape grapes melon mango kiwi coconut pineapple
        tomato potato onion garlic carrot pumpkin pepper peppers ginger cinnamon vanilla
        chocolate candy cookie cookies cake cupcake muffin pancake pie pizza pasta spaghetti
        burger hamburger cheese cheeseburger butter peanut peanutbutter bacon sausage taco
        burrito nacho nachos sushi noodle noodles rice bread coffee espresso latte mocha tea
        milk juice soda cola cocacola pepsi sprite fanta drpepper redbull beer budlight
        budweiser corona heineken guinness vodka whiskey whisky tequila rum wine champagne smoke
        smokey smoking weed marijuana ganja cannabis stoner bong america american usa
        unitedstates england english london paris france french germany german deutschland
        berlin munich muenchen münchen hamburg koeln köln frankfurt stuttgart austria österreich
        wien vienna switzerland schweiz zurich italia italy rome venice florence spain espana
        españa sevilla valencia portugal lisbon lisboa brasil brazil brasilia rio argentina
        mexico canada quebec toronto montreal vancouver australia sydney melbourne japan tokyo
        osaka kyoto china beijing shanghai hongkong india mumbai delhi bangalore pakistan
        karachi russia moscow moskva ukraine kiev poland polska warszawa krakow sweden stockholm
        norway oslo denmark danmark copenhagen finland helsinki holland amsterdam netherlands
        nederland belgium brussels ireland dublin scotland glasgow edinburgh wales turkey
        istanbul ankara greece athens egypt cairo israel jerusalem iran iraq africa nigeria
        kenya colombia chile peru venezuela cuba havana jamaica hawaii alaska california texas
        florida newyork nyc brooklyn manhattan boston chicago detroit dallas houston austin
        denver seattle portland oakland sandiego losangeles hollywood lasvegas vegas miami
        orlando atlanta memphis nashville virginia carolina georgia alabama dakota nevada
        arizona colorado michigan ohio indiana kansas god jesus christ jesuschrist jehovah allah
        muhammad mohammed buddha krishna bible gospel heaven hell church faith hope grace
        blessed blessing believe pray prayer holy spirit godisgood godbless jesuslovesme praise
        lord lordjesus amen savior michael jennifer jessica ashley amanda joshua matthew daniel
        andrew david james robert john joseph william thomas charles christopher chris christian
        anthony tony mark steven steve stephen paul kevin brian george edward eddie ronald
        timothy jason jeffrey jeff ryan jacob gary nicholas nick nicolas eric erik jonathan
        scott brandon benjamin ben samuel sam gregory greg frank alexander alex alexandra alexis
        alexandre raymond jack jackson dennis jerry tyler aaron jose adam nathan nathaniel henry
        harry harold douglas doug peter pete zachary zach kyle walter ethan jeremy keith roger
        terry sean shawn carl karl arthur lawrence larry dylan jesse bryan billy bill bob bobby
        bruce gabriel joe joey johnny logan albert juan willie willy elijah wayne randy vincent
        mason roy ralph russell bradley brad philip phillip eugene luis carlos miguel pedro
        pablo diego jorge francisco fernando rafael ricardo roberto eduardo sergio antonio
        manuel alejandro javier oscar hugo victor ivan martin marcos lucas luca luka leon leo
        max maximilian felix lukas tobias sebastian stefan andreas matthias markus klaus hans
        franz fritz dieter wolfgang juergen uwe bernd ralf thorsten torsten florian dominik
        fabian philipp simon tim tom pierre jean jacques louis antoine olivier laurent julien
        maxime guillaume mathieu romain thierry pascal giovanni giuseppe francesco marco matteo
        lorenzo andrea alessandro davide simone stefano paolo vladimir dmitri dmitry sergey
        sergei andrey andrei alexey nikita maxim denis igor oleg roman pavel mikhail anton artem
        ahmed ahmet mehmet mustafa murat emre hasan ali omar hassan hussein ibrahim khan kumar
        raj rahul amit ravi sanjay vijay suresh mary patricia linda barbara elizabeth liz lizzie
        susan sarah sara karen nancy lisa betty margaret sandra donna carol carolyn ruth sharon
        michelle laura emily emilia kimberly kim deborah debbie dorothy amy angela melissa
        brenda emma olivia cynthia marie janet catherine katherine kate katie kathy frances ann
        anna anne annie samantha stephanie rachel rebecca becky nicole christina christine tina
        helen heather maria diane julie julia joyce victoria vicky kelly joan evelyn lauren
        judith judy megan cheryl jacqueline jackie martha gloria teresa theresa janice jane
        doris kathryn denise danielle brittany diana abigail natalie sophia sophie isabella
        isabel charlotte charlie ella chloe zoe zoey mia ava madison maddie taylor morgan
        courtney vanessa natasha tiffany brandy mandy cindy wendy penny jenny jenna molly maggie
        bonnie sally lucy lola bella stella claudia monica veronica angelica gabriela daniela
        mariana fernanda camila valentina lucia carmen rosa rosita lupita guadalupe esperanza
        dolores pilar cristina beatriz marta elena irina olga natalia svetlana tatiana ekaterina
        katya nastya marina oksana sabrina petra monika ursula heike sabine birgit kerstin silke
        anja katja nadine jasmin lena lea leonie luisa hanna chantal brigitte sylvie nathalie
        isabelle aurelie celine camille manon giulia chiara francesca martina alessia silvia
        fatima aisha ayse fatma zeynep priya pooja neha anjali deepika buster buddy bailey
        bandit boomer brutus bubba bubbles buffy casper chester chico coco cocoa cody cooper
        duke dusty fluffy gizmo gracie gunner hunter jake jasper killer lulu maxwell merlin milo
        misty mittens murphy nala oreo patches peaches precious rascal riley rocky romeo rosie
        roxy rufus rusty sadie sammy sandy sasha scout sheba shelby skippy snickers socks sparky
        spike spot tinker toby trixie tucker whiskers winston ziggy zeus apollo athena hercules
        thor odin loki achilles spartan spartacus caesar gladiator trojan titan soldier army
        navy marine marines airforce military sniper bullet pistol shotgun rifle weapon warrior
        fighter assassin hitman gangster mafia thug outlaw cowboy cowgirl pirate pirates pilot
        police cop sheriff doctor nurse teacher student school college university class lawyer
        engineer builder plumber farmer fisher fishing hunting camping hiking boat boating
        sailing flying airplane plane jet rocket train tractor freedom peace justice victory
        liberty honor honour glory power powerful force strength energy soul mind dream dreams
        dreamer fantasy destiny fate karma chaos control danger dangerous trouble rebel
        revolution anarchy mystery money dollar dollars cash euro rich richie million
        millionaire billion poker casino jackpot blackjack bonus lotto maverick topgun maximus
        scarface godfather goodfellas jamesbond bond rambo titanic excalibur camelot lancelot
        templar illuminati pyramid pharaoh cleopatra asdf qwer zxcv asd qwe zxc qaz wsx edc abc
        abcd abcde xyz aaa bbb ccc xxx zzz lol rofl omg wtf lmao haha hahaha hehe blah blabla
        blahblah yoyo bobo dodo gogo jojo kiki koko lala lili lolo loulou mimi momo nana nene
        nono pepe pipi popo toto tata titi tutu zaza zuzu chouchou doudou bebe bisous bisou
        soleil lune etoile coeur cheri cherie azerty qwertz nounours chocolat bonbon fraise
        cerise citron banane pomme poisson chat chaton chien cheval schatz schatzi hase hasi
        maus mausi spatz engel teufel sonne mond stern himmel erde feuer wasser hund katze pferd
        vogel fisch blume baum haus auto fussball fußball schule lehrer mutter vater bruder
        schwester freund freundin arschloch scheisse scheiße ficken hurensohn hallohallo
        sonnenschein schmetterling baerchen bärchen prinzessin estrella sol luna cielo corazon
        corazón mariposa princesa bonita hermosa chiquita gatito perro gato caballo futbol
        fútbol familia hermano hermana madre padre hijo hija dinero playa fiesta mierda puta
        cabron pendejo chingon estrela coracao coração gatinha gatinho cachorro amizade saudade
        deus cuore farfalla principessa gatto cane calcio mamma fratello sorella famiglia
        vaffanculo cazzo merda forza privet lyubov lubov solnce solnyshko kotenok zaika zvezda
        qwertyu spartak zenit dinamo sakura hana tomodachi kawaii neko inu sora yuki haruka
        hikari anime manga otaku motherlode operator technical tech cisco juniper oracle mysql
        postgres database sql java javascript program programmer developer coder code coding
        website web email mail letter helloworld world worldwide one two three four five six
        seven eight nine ten eleven twelve thirteen hundred thousand first second third last
        alpha beta gamma delta omega sigma epsilon theta lambda zulu tango foxtrot bravo echo
        sierra genesis exodus revelation nemesis eclipse infinity eternity zenith horizon
        odyssey voyager explorer discovery pathfinder pioneer ranger forester wanderer traveler
        nomad gypsy drifter stranger archer hunterx reaper ripper bronx harlem compton ghetto
        gangsta player players pimp pimpin baller hustler hustle swagger swag swagg yolo cool
        coolio coolguy coolgirl kool rad dude duder chick chica mami papi flaco flaca gordo
        gordita sexygirl sexyboy hotgirl hotboy bigboy biggirl badboy badgirl goodboy goodgirl
        bigdaddy bigman littleman fatboy fatcat softball cheer cheerleader gymnast gymnastics
        ballet ballerina band choir theater drama movie movies cinema camera photo photos
        picture pictures video videos phone telephone mobile cell radio television channel news
        magazine book books reader library writer author poet poetry story novel pencil paper
        notebook homework ashleigh iwantu freepass ncc nascar earnhardt qazwsx qwaszx zaqwsx
        asdasd qweqwe zxczxc qweasd qweasdzxc asdqwe asdzxc wasd poiuy lkjhg mnbvc redrum
        rosebud trustme survivor scorpio gemini taurus libra aries cancer virgo pisces aquarius
        capricorn sagittarius zodiac horoscope bigfoot dracula frankenstein godzilla kingkong
        mothra jurassic jaws gremlin
        """
}
