<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>QObject</name>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
</context>
<context>
    <name>fixed</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Name of the run; its folder&apos;s name starts with it</source>
        <translation>Name des Laufs; der Name seines Ordners beginnt damit</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Project that the run belongs to in the runs table</source>
        <translation>Projekt, zu dem der Lauf in der Tabelle der Läufe gehört</translation>
    </message>
    <message>
        <source>Training steps</source>
        <translation>Trainingsschritte</translation>
    </message>
    <message>
        <source>Optimizer steps to train for, skipped ones included</source>
        <translation>Zu trainierende Optimiererschritte, übersprungene mitgezählt</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Random seed</source>
        <translation>Zufalls-Seed</translation>
    </message>
    <message>
        <source>Seed of initial weights, data order, noise and samples</source>
        <translation>Seed für Anfangsgewichte, Datenreihenfolge, Rauschen und Samples</translation>
    </message>
    <message>
        <source>Bitwise reproducible</source>
        <translation>Bitgenau reproduzierbar</translation>
    </message>
    <message>
        <source>Make runs of the same experiment bitwise identical</source>
        <translation>Läufe desselben Experiments bitgenau gleich machen</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Device of the ranks; auto uses CUDA when there is a GPU for every rank</source>
        <translation>Gerät der Ranks; auto nimmt CUDA, wenn es für jeden Rank eine GPU gibt</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>GPU (CUDA)</source>
        <translation>GPU (CUDA)</translation>
    </message>
    <message>
        <source>CPU threads per process</source>
        <translation>CPU-Threads je Prozess</translation>
    </message>
    <message>
        <source>CPU threads per rank; 0 divides the cores among the ranks</source>
        <translation>CPU-Threads je Rank; 0 teilt die Kerne unter den Ranks auf</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Steps to profile</source>
        <translation>Profilierte Schritte</translation>
    </message>
    <message>
        <source>Steps to profile, as in 10..15; each rank writes a Chrome trace to the run&apos;s profile folder</source>
        <translation>Zu profilierende Schritte, wie in 10..15; jeder Rank schreibt einen Chrome-Trace in den Profilordner des Laufs</translation>
    </message>
    <message>
        <source>Rules that act</source>
        <translation>Wirkende Regeln</translation>
    </message>
    <message>
        <source>Peak throughput</source>
        <translation>Spitzendurchsatz</translation>
    </message>
    <message>
        <source>Peak throughput of a rank&apos;s device in the compute dtype, for MFU; 0 uses the data sheet value of known GPUs</source>
        <translation>Spitzendurchsatz des Geräts eines Ranks im Rechen-Dtype, für die MFU; 0 nimmt bei bekannten GPUs den Wert des Datenblatts</translation>
    </message>
    <message>
        <source>TFLOP/s</source>
        <translation>TFLOP/s</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>Where it runs</source>
        <translation>Wo er läuft</translation>
    </message>
    <message>
        <source>local: processes of this machine; slurm: a job of a Slurm cluster, which sees the folder of the runs</source>
        <translation>local: Prozesse dieser Maschine; slurm: ein Job eines Slurm-Clusters, der den Ordner der Läufe sieht</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Diese Maschine</translation>
    </message>
    <message>
        <source>Slurm cluster</source>
        <translation>Slurm-Cluster</translation>
    </message>
    <message>
        <source>Processes (ranks)</source>
        <translation>Prozesse (Ranks)</translation>
    </message>
    <message>
        <source>Training processes to start</source>
        <translation>Zu startende Trainingsprozesse</translation>
    </message>
    <message>
        <source>processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>Communication timeout</source>
        <translation>Zeitlimit der Kommunikation</translation>
    </message>
    <message>
        <source>The run fails when a collective waits longer than this</source>
        <translation>Der Lauf schlägt fehl, wenn eine kollektive Operation länger als das wartet</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>Shown as stalled after</source>
        <translation>Gilt als hängend nach</translation>
    </message>
    <message>
        <source>A run that journals nothing for this long, and for ten median steps, is shown as stalled</source>
        <translation>Ein Lauf, der so lange und zehn mittlere Schritte lang nichts ins Journal schreibt, gilt als hängend</translation>
    </message>
    <message>
        <source>Restarts after failures</source>
        <translation>Neustarts nach Fehlern</translation>
    </message>
    <message>
        <source>How often in a row ranks that died or hang are started again from the last checkpoint; a later checkpoint than before begins the count anew; 0: never</source>
        <translation>Wie oft nacheinander Ranks, die starben oder hängen, vom letzten Checkpoint neu gestartet werden; ein späterer Checkpoint als zuvor beginnt die Zählung neu; 0: nie</translation>
    </message>
    <message>
        <source>times</source>
        <translation>mal</translation>
    </message>
    <message>
        <source>Fewest after a lost GPU</source>
        <translation>Mindestzahl nach GPU-Verlust</translation>
    </message>
    <message>
        <source>A restart may go on with fewer ranks, at least this many, on the GPUs that are left, if the samples of a step stay the same; 0: it needs a GPU for each of launch.ranks</source>
        <translation>Ein Neustart darf mit weniger Ranks, mindestens so vielen, auf den verbliebenen GPUs weitermachen, wenn die Samples eines Schritts gleich bleiben; 0: er braucht eine GPU für jeden von launch.ranks</translation>
    </message>
    <message>
        <source>Slurm job</source>
        <translation>Slurm-Job</translation>
    </message>
    <message>
        <source>Partition</source>
        <translation>Partition</translation>
    </message>
    <message>
        <source>Partition of the cluster; empty: its default one</source>
        <translation>Partition des Clusters; leer: dessen Vorgabe</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Nodes among which the ranks are divided evenly</source>
        <translation>Knoten, auf die die Ranks gleichmäßig verteilt werden</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>GPUs per node</source>
        <translation>GPUs je Knoten</translation>
    </message>
    <message>
        <source>GPUs to ask for on each node, one for each of its ranks; 0: none</source>
        <translation>Auf jedem Knoten anzufordernde GPUs, eine für jeden seiner Ranks; 0: keine</translation>
    </message>
    <message>
        <source>Processor cores per process</source>
        <translation>Prozessorkerne je Prozess</translation>
    </message>
    <message>
        <source>Cores to ask for each rank</source>
        <translation>Für jeden Rank anzufordernde Kerne</translation>
    </message>
    <message>
        <source>cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>Zeitlimit</translation>
    </message>
    <message>
        <source>Slurm&apos;s time limit, as in 90 (minutes), 8:00:00 or 2-12:00:00; empty: the partition&apos;s. A run that needs longer writes a checkpoint before it, and goes on in the queue&apos;s next turn</source>
        <translation>Zeitlimit von Slurm, wie in 90 (Minuten), 8:00:00 oder 2-12:00:00; leer: das der Partition. Ein Lauf, der länger braucht, schreibt davor einen Checkpoint und macht weiter, wenn er wieder an der Reihe ist</translation>
    </message>
    <message>
        <source>Checkpoint before the limit</source>
        <translation>Checkpoint vor dem Limit</translation>
    </message>
    <message>
        <source>How long before the time limit the ranks write a checkpoint and leave; Slurm may be a minute early</source>
        <translation>Wie lange vor dem Zeitlimit die Ranks einen Checkpoint schreiben und aufhören; Slurm kann eine Minute zu früh sein</translation>
    </message>
    <message>
        <source>Account</source>
        <translation>Konto</translation>
    </message>
    <message>
        <source>Account that the time is charged to; empty: the user&apos;s default</source>
        <translation>Konto, dem die Zeit berechnet wird; leer: die Vorgabe des Benutzers</translation>
    </message>
    <message>
        <source>Container image</source>
        <translation>Container-Image</translation>
    </message>
    <message>
        <source>Image in which the ranks run, as Slurm&apos;s plugin pyxis takes it; it has atelier-worker under the same path, and sees the folders of the runs and those that the experiment names</source>
        <translation>Image, in dem die Ranks laufen, wie es Slurms Plugin pyxis nimmt; es hat atelier-worker unter demselben Pfad und sieht die Ordner der Läufe und die im Experiment genannten</translation>
    </message>
    <message>
        <source>More options of sbatch</source>
        <translation>Weitere Optionen von sbatch</translation>
    </message>
    <message>
        <source>Further options of sbatch, as in --qos=high --exclusive</source>
        <translation>Weitere Optionen von sbatch, wie in --qos=high --exclusive</translation>
    </message>
    <message>
        <source>Environment variables</source>
        <translation>Umgebungsvariablen</translation>
    </message>
    <message>
        <source>Variables for the ranks, as in NCCL_SOCKET_IFNAME=eth0 NCCL_DEBUG=INFO</source>
        <translation>Variablen für die Ranks, wie in NCCL_SOCKET_IFNAME=eth0 NCCL_DEBUG=INFO</translation>
    </message>
    <message>
        <source>Commands before the start</source>
        <translation>Befehle vor dem Start</translation>
    </message>
    <message>
        <source>Shell commands that the job runs first, as in module load cuda; export A=1</source>
        <translation>Shell-Befehle, die der Job zuerst ausführt, wie in module load cuda; export A=1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>dit: a class-conditional diffusion transformer, from scratch; sd3: a transformer like Stable Diffusion 3&apos;s, from scratch, which reads captions word by word and generates pixels; diffusers: the model in model.folder</source>
        <translation>dit: ein klassenkonditionierter Diffusions-Transformer, von null an; sd3: ein Transformer wie der von Stable Diffusion 3, von null an, der Bildtexte Wort für Wort liest und Pixel erzeugt; diffusers: das Modell in model.folder</translation>
    </message>
    <message>
        <source>DiT, class-conditional</source>
        <translation>DiT, klassenkonditioniert</translation>
    </message>
    <message>
        <source>Like Stable Diffusion 3</source>
        <translation>Wie Stable Diffusion 3</translation>
    </message>
    <message>
        <source>Pretrained (diffusers)</source>
        <translation>Vortrainiert (diffusers)</translation>
    </message>
    <message>
        <source>Model folder</source>
        <translation>Modellordner</translation>
    </message>
    <message>
        <source>Folder of a pretrained diffusers pipeline</source>
        <translation>Ordner einer vortrainierten diffusers-Pipeline</translation>
    </message>
    <message>
        <source>Transformer to train</source>
        <translation>Trainierter Transformer</translation>
    </message>
    <message>
        <source>Which transformer of the folder trains; Wan 2.2 has two, transformer for high and transformer_2 for low noise levels, and each trains on its own levels</source>
        <translation>Welcher Transformer des Ordners trainiert wird; Wan 2.2 hat zwei, transformer für hohe und transformer_2 für niedrige Rauschstufen, und jeder trainiert auf seinen eigenen Stufen</translation>
    </message>
    <message>
        <source>Transformer</source>
        <translation>Transformer</translation>
    </message>
    <message>
        <source>Second transformer</source>
        <translation>Zweiter Transformer</translation>
    </message>
    <message>
        <source>Patch size</source>
        <translation>Patch-Größe</translation>
    </message>
    <message>
        <source>Side of the square of pixels that becomes one token</source>
        <translation>Seite des Pixelquadrats, das zu einem Token wird</translation>
    </message>
    <message>
        <source>px</source>
        <translation>px</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>Width of the transformer; a multiple of model.heads</source>
        <translation>Breite des Transformers; ein Vielfaches von model.heads</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>Tiefe</translation>
    </message>
    <message>
        <source>Number of transformer blocks</source>
        <translation>Anzahl der Transformer-Blöcke</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>Attention heads</source>
        <translation>Attention-Köpfe</translation>
    </message>
    <message>
        <source>Label dropout</source>
        <translation>Label-Dropout</translation>
    </message>
    <message>
        <source>Probability that a label is dropped in training, which classifier-free guidance needs</source>
        <translation>Wahrscheinlichkeit, mit der ein Label im Training wegfällt; Classifier-Free Guidance braucht das</translation>
    </message>
    <message>
        <source>Trained parameters</source>
        <translation>Trainierte Parameter</translation>
    </message>
    <message>
        <source>Parameters that train: all, or comma-separated names in which * stands for anything, as in blocks.*.qkv.*; the others are frozen</source>
        <translation>Parameter, die trainiert werden: all oder durch Kommas getrennte Namen, in denen * für Beliebiges steht, wie in blocks.*.qkv.*; die anderen sind eingefroren</translation>
    </message>
    <message>
        <source>LoRA adapter</source>
        <translation>LoRA-Adapter</translation>
    </message>
    <message>
        <source>Adapter rank</source>
        <translation>Rang des Adapters</translation>
    </message>
    <message>
        <source>Rank of a LoRA adapter, which then is all that trains; 0: no adapter, the model itself trains</source>
        <translation>Rang eines LoRA-Adapters, der dann als Einziges trainiert; 0: kein Adapter, das Modell selbst trainiert</translation>
    </message>
    <message>
        <source>Adapter alpha</source>
        <translation>Alpha des Adapters</translation>
    </message>
    <message>
        <source>The adapter&apos;s output is scaled by alpha / rank</source>
        <translation>Die Ausgabe des Adapters wird mit alpha / rank skaliert</translation>
    </message>
    <message>
        <source>Scale by √rank (rsLoRA)</source>
        <translation>Mit √rank skalieren (rsLoRA)</translation>
    </message>
    <message>
        <source>Scale the adapter&apos;s output by alpha / √rank instead of alpha / rank</source>
        <translation>Die Ausgabe des Adapters mit alpha / √rank statt mit alpha / rank skalieren</translation>
    </message>
    <message>
        <source>Adapted layers</source>
        <translation>Angepasste Schichten</translation>
    </message>
    <message>
        <source>Layers that get an adapter: all-linear, comma-separated names as in to_q, to_k, or a regular expression that matches whole names</source>
        <translation>Schichten, die einen Adapter bekommen: all-linear, durch Kommas getrennte Namen wie in to_q, to_k oder ein regulärer Ausdruck, der auf ganze Namen passt</translation>
    </message>
    <message>
        <source>Excluded layers</source>
        <translation>Ausgenommene Schichten</translation>
    </message>
    <message>
        <source>Layers that get no adapter although lora.targets selects them, in the same notation</source>
        <translation>Schichten, die keinen Adapter bekommen, obwohl lora.targets sie auswählt, in derselben Schreibweise</translation>
    </message>
    <message>
        <source>Adapter dropout</source>
        <translation>Dropout des Adapters</translation>
    </message>
    <message>
        <source>Probability that an element of an adapter&apos;s input is dropped in training</source>
        <translation>Wahrscheinlichkeit, mit der ein Element der Eingabe eines Adapters im Training wegfällt</translation>
    </message>
    <message>
        <source>Adapter initialisation</source>
        <translation>Initialisierung des Adapters</translation>
    </message>
    <message>
        <source>Initial values of A, with B = 0: gaussian is N(0, 1 / rank²), kaiming is U(-1 / √in, 1 / √in), which PEFT calls true; orthogonal initialises both A and B so that B A = 0 and needs an even lora.rank</source>
        <translation>Anfangswerte von A, mit B = 0: gaussian ist N(0, 1 / rank²), kaiming ist U(-1 / √in, 1 / √in), was PEFT true nennt; orthogonal initialisiert A und B so, dass B A = 0 ist, und braucht ein gerades lora.rank</translation>
    </message>
    <message>
        <source>Gaussian</source>
        <translation>Gauß</translation>
    </message>
    <message>
        <source>Kaiming</source>
        <translation>Kaiming</translation>
    </message>
    <message>
        <source>Orthogonal</source>
        <translation>Orthogonal</translation>
    </message>
    <message>
        <source>Adapter dtype</source>
        <translation>Dtype des Adapters</translation>
    </message>
    <message>
        <source>Dtype in which the adapter&apos;s weights are stored while they train; their EMA is always fp32</source>
        <translation>Dtype, in dem die Gewichte des Adapters beim Training gespeichert werden; ihr EMA ist immer fp32</translation>
    </message>
    <message>
        <source>float32</source>
        <translation>float32</translation>
    </message>
    <message>
        <source>bfloat16</source>
        <translation>bfloat16</translation>
    </message>
    <message>
        <source>Start from adapter</source>
        <translation>Ausgehen von Adapter</translation>
    </message>
    <message>
        <source>File or folder of an adapter (PEFT, diffusers or Kohya) to start from; its layers and rank are used</source>
        <translation>Datei oder Ordner eines Adapters (PEFT, diffusers oder Kohya), von dem ausgegangen wird; seine Schichten und sein Rang gelten</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Data file</source>
        <translation>Datendatei</translation>
    </message>
    <message>
        <source>Training data: a gzipped CSV file with 64 pixel values and a label per line</source>
        <translation>Trainingsdaten: eine gzip-komprimierte CSV-Datei mit 64 Pixelwerten und einem Label je Zeile</translation>
    </message>
    <message>
        <source>Source of the images</source>
        <translation>Quelle der Bilder</translation>
    </message>
    <message>
        <source>Training data: folder uses data.folder; emoji uses the images and names of this machine&apos;s emoji font, which the first run writes to cache/emoji next to the folder of the runs</source>
        <translation>Trainingsdaten: folder nimmt data.folder; emoji nimmt Bilder und Namen der Emoji-Schrift dieser Maschine, die der erste Lauf nach cache/emoji neben dem Ordner der Läufe schreibt</translation>
    </message>
    <message>
        <source>Image folder</source>
        <translation>Bildordner</translation>
    </message>
    <message>
        <source>Emoji font</source>
        <translation>Emoji-Schrift</translation>
    </message>
    <message>
        <source>Folder of images (for video models also videos) with captions: NAME.txt next to NAME.png, or metadata.jsonl</source>
        <translation>Ordner mit Bildern (für Videomodelle auch Videos) und Bildtexten: NAME.txt neben NAME.png, oder metadata.jsonl</translation>
    </message>
    <message>
        <source>Resolution</source>
        <translation>Auflösung</translation>
    </message>
    <message>
        <source>Images are scaled to the area of a square with this side; a multiple of 16</source>
        <translation>Bilder werden auf die Fläche eines Quadrats mit dieser Seite skaliert; ein Vielfaches von 16</translation>
    </message>
    <message>
        <source>Frames per video</source>
        <translation>Einzelbilder je Video</translation>
    </message>
    <message>
        <source>Maximum number of frames per video in training and in samples of video models; each video is cut to 1 + 4 k frames</source>
        <translation>Höchstzahl der Einzelbilder je Video, im Training und in Samples von Videomodellen; jedes Video wird auf 1 + 4 k Einzelbilder gekürzt</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>Einzelbilder</translation>
    </message>
    <message>
        <source>Frame rate</source>
        <translation>Bildrate</translation>
    </message>
    <message>
        <source>Frames used per second of a video file; 0: its own frame rate; folders of frames are used as they are</source>
        <translation>Einzelbilder je Sekunde, die von einer Videodatei verwendet werden; 0: ihre eigene Bildrate; Ordner mit Einzelbildern werden verwendet, wie sie sind</translation>
    </message>
    <message>
        <source>1/s</source>
        <translation>1/s</translation>
    </message>
    <message>
        <source>Largest aspect ratio</source>
        <translation>Größtes Seitenverhältnis</translation>
    </message>
    <message>
        <source>Largest aspect ratio (long side / short side) that images are cropped to; 1: squares only</source>
        <translation>Größtes Seitenverhältnis (lange / kurze Seite), auf das Bilder zugeschnitten werden; 1: nur Quadrate</translation>
    </message>
    <message>
        <source>Caption dropout</source>
        <translation>Bildtext-Dropout</translation>
    </message>
    <message>
        <source>Probability that a caption is replaced by an empty one in training, which classifier-free guidance needs</source>
        <translation>Wahrscheinlichkeit, mit der ein Bildtext im Training durch einen leeren ersetzt wird; Classifier-Free Guidance braucht das</translation>
    </message>
    <message>
        <source>Shuffle caption parts</source>
        <translation>Bildtextteile mischen</translation>
    </message>
    <message>
        <source>Shuffle the comma-separated parts of a caption each time it is used</source>
        <translation>Die durch Kommas getrennten Teile eines Bildtexts bei jeder Verwendung mischen</translation>
    </message>
    <message>
        <source>Caption parts kept in place</source>
        <translation>Feste Bildtextteile</translation>
    </message>
    <message>
        <source>Number of leading caption parts that shuffling leaves in place</source>
        <translation>Anzahl der ersten Bildtextteile, die beim Mischen an ihrem Platz bleiben</translation>
    </message>
    <message>
        <source>parts</source>
        <translation>Teile</translation>
    </message>
    <message>
        <source>Repeats from folder names</source>
        <translation>Wiederholungen aus Ordnernamen</translation>
    </message>
    <message>
        <source>Files in a folder called N_NAME, as in 10_dog, are seen N times per epoch, and NAME is the caption of those without one</source>
        <translation>Dateien in einem Ordner namens N_NAME, wie in 10_dog, werden N-mal je Epoche gesehen, und NAME ist der Bildtext derer, die keinen haben</translation>
    </message>
    <message>
        <source>Regularisation images</source>
        <translation>Regularisierungsbilder</translation>
    </message>
    <message>
        <source>Folder of images of what the model should not forget; an epoch has as many of them as of all others; empty: none</source>
        <translation>Ordner mit Bildern dessen, was das Modell nicht vergessen soll; eine Epoche hat davon so viele wie von allen anderen; leer: keine</translation>
    </message>
    <message>
        <source>Weight of regularisation</source>
        <translation>Gewicht der Regularisierung</translation>
    </message>
    <message>
        <source>Weight of the loss of images in data.prior_folder</source>
        <translation>Gewicht des Loss von Bildern in data.prior_folder</translation>
    </message>
    <message>
        <source>Transparency as mask</source>
        <translation>Transparenz als Maske</translation>
    </message>
    <message>
        <source>Treat transparent parts of an image as black parts of a loss mask, unless it has a mask file NAME-masklabel.png</source>
        <translation>Transparente Teile eines Bildes wie schwarze Teile einer Loss-Maske behandeln, wenn es keine Maskendatei NAME-masklabel.png hat</translation>
    </message>
    <message>
        <source>Loss weight outside masks</source>
        <translation>Loss-Gewicht außerhalb von Masken</translation>
    </message>
    <message>
        <source>Weight of the loss where the mask (NAME-masklabel.png next to NAME.png, or transparency) is black</source>
        <translation>Gewicht des Loss dort, wo die Maske (NAME-masklabel.png neben NAME.png oder Transparenz) schwarz ist</translation>
    </message>
    <message>
        <source>Cache folder</source>
        <translation>Cache-Ordner</translation>
    </message>
    <message>
        <source>Cache folder for encoded images and captions; empty: cache/features next to the folder of the runs</source>
        <translation>Cache-Ordner für kodierte Bilder und Bildtexte; leer: cache/features neben dem Ordner der Läufe</translation>
    </message>
    <message>
        <source>Held out for validation</source>
        <translation>Für Validierung zurückgehalten</translation>
    </message>
    <message>
        <source>Fraction of the data that is held out for the validation loss</source>
        <translation>Anteil der Daten, der für den Validierungs-Loss zurückgehalten wird</translation>
    </message>
    <message>
        <source>Flow matching</source>
        <translation>Flow Matching</translation>
    </message>
    <message>
        <source>Noise levels</source>
        <translation>Rauschstufen</translation>
    </message>
    <message>
        <source>Distribution of noise levels in training; logit_normal prefers the middle ones, as Stable Diffusion 3 did</source>
        <translation>Verteilung der Rauschstufen im Training; logit_normal bevorzugt die mittleren, wie es Stable Diffusion 3 tat</translation>
    </message>
    <message>
        <source>Uniform</source>
        <translation>Gleichverteilt</translation>
    </message>
    <message>
        <source>Logit-normal</source>
        <translation>Logit-normal</translation>
    </message>
    <message>
        <source>Noise level shift</source>
        <translation>Verschiebung der Rauschstufen</translation>
    </message>
    <message>
        <source>Shift of the noise levels towards noise: σ = s u / (1 + (s - 1) u)</source>
        <translation>Verschiebung der Rauschstufen zum Rauschen hin: σ = s u / (1 + (s - 1) u)</translation>
    </message>
    <message>
        <source>Guidance input</source>
        <translation>Guidance als Eingabe</translation>
    </message>
    <message>
        <source>Guidance scale that a guidance-distilled model (FLUX.1 dev) receives as an input in training</source>
        <translation>Guidance-Skala, die ein guidance-destilliertes Modell (FLUX.1 dev) im Training als Eingabe bekommt</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>Zielfunktion</translation>
    </message>
    <message>
        <source>Training objective</source>
        <translation>Zielfunktion des Trainings</translation>
    </message>
    <message>
        <source>Training objective: flow_matching regresses the velocity, noise - clean; the others draw samples and raise their reward, from a model that is trained already</source>
        <translation>Zielfunktion des Trainings: flow_matching regrediert die Geschwindigkeit, Rauschen − sauber; die anderen zeichnen Samples und heben deren Reward, ausgehend von einem schon trainierten Modell</translation>
    </message>
    <message>
        <source>Flow-GRPO</source>
        <translation>Flow-GRPO</translation>
    </message>
    <message>
        <source>DanceGRPO</source>
        <translation>DanceGRPO</translation>
    </message>
    <message>
        <source>MixGRPO</source>
        <translation>MixGRPO</translation>
    </message>
    <message>
        <source>Flow-DPPO</source>
        <translation>Flow-DPPO</translation>
    </message>
    <message>
        <source>GRPO-Guard</source>
        <translation>GRPO-Guard</translation>
    </message>
    <message>
        <source>Distillation</source>
        <translation>Destillation</translation>
    </message>
    <message>
        <source>DiffusionNFT</source>
        <translation>DiffusionNFT</translation>
    </message>
    <message>
        <source>DPO</source>
        <translation>DPO</translation>
    </message>
    <message>
        <source>Advantage-weighted matching</source>
        <translation>Advantage-gewichtetes Matching</translation>
    </message>
    <message>
        <source>DGPO</source>
        <translation>DGPO</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>Samples per pass</source>
        <translation>Samples je Durchgang</translation>
    </message>
    <message>
        <source>Samples per rank in each forward pass</source>
        <translation>Samples je Rank in jedem Vorwärtsdurchgang</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>Samples</translation>
    </message>
    <message>
        <source>Passes per step</source>
        <translation>Durchgänge je Schritt</translation>
    </message>
    <message>
        <source>Forward and backward passes per optimizer step; their gradients are accumulated</source>
        <translation>Vorwärts- und Rückwärtsdurchgänge je Optimiererschritt; ihre Gradienten werden summiert</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>Durchgänge</translation>
    </message>
    <message>
        <source>Samples per step</source>
        <translation>Samples je Schritt</translation>
    </message>
    <message>
        <source>Samples per step over all ranks, which determines the number of passes; 0 uses batch.accumulation</source>
        <translation>Samples je Schritt über alle Ranks; das bestimmt die Anzahl der Durchgänge; 0 nimmt batch.accumulation</translation>
    </message>
    <message>
        <source>Rollouts</source>
        <translation>Rollouts</translation>
    </message>
    <message>
        <source>Prompt file</source>
        <translation>Prompt-Datei</translation>
    </message>
    <message>
        <source>Prompts that an image model draws samples for: a text file with a prompt on each line, or JSON lines such as {&quot;prompt&quot;: &quot;a red heart&quot;}, whose other fields reach the rewards; no images are read then; empty: the captions of the training images</source>
        <translation>Prompts, zu denen ein Bildmodell Samples zeichnet: eine Textdatei mit einem Prompt je Zeile, oder JSON-Zeilen wie {&quot;prompt&quot;: &quot;a red heart&quot;}, deren weitere Felder an die Rewards gehen; Bilder werden dann nicht gelesen; leer: die Bildtexte der Trainingsbilder</translation>
    </message>
    <message>
        <source>Prompts per round</source>
        <translation>Prompts je Runde</translation>
    </message>
    <message>
        <source>Prompts that are sampled in a round, on all ranks together</source>
        <translation>Prompts, zu denen in einer Runde Samples gezeichnet werden, auf allen Ranks zusammen</translation>
    </message>
    <message>
        <source>prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Samples per prompt</source>
        <translation>Samples je Prompt</translation>
    </message>
    <message>
        <source>Samples drawn for each prompt in a round; a sample&apos;s advantage is over the others of its prompt</source>
        <translation>Samples, die in einer Runde zu jedem Prompt gezeichnet werden; der Advantage eines Samples bezieht sich auf die anderen seines Prompts</translation>
    </message>
    <message>
        <source>Steps per sample</source>
        <translation>Schritte je Sample</translation>
    </message>
    <message>
        <source>Denoising steps of a sample that is trained on</source>
        <translation>Entrauschungsschritte eines Samples, auf dem trainiert wird</translation>
    </message>
    <message>
        <source>Guidance of rollouts</source>
        <translation>Guidance der Rollouts</translation>
    </message>
    <message>
        <source>Classifier-free guidance scale of rollouts and of the update; 1 turns it off</source>
        <translation>Classifier-Free-Guidance-Skala von Rollouts und Update; 1 schaltet sie aus</translation>
    </message>
    <message>
        <source>Noise of steps (η)</source>
        <translation>Rauschen der Schritte (η)</translation>
    </message>
    <message>
        <source>Noise of the stochastic steps; more of it explores further and blurs samples</source>
        <translation>Rauschen der stochastischen Schritte; mehr davon erkundet weiter und macht Samples unscharf</translation>
    </message>
    <message>
        <source>Kind of stochastic steps</source>
        <translation>Art der stochastischen Schritte</translation>
    </message>
    <message>
        <source>Stochastic steps: sde of Flow-GRPO, cps that preserve coefficients, dance_sde of DanceGRPO; auto takes dance_sde for dance_grpo and sde otherwise</source>
        <translation>Stochastische Schritte: sde von Flow-GRPO, cps, die Koeffizienten erhalten, dance_sde von DanceGRPO; auto nimmt dance_sde für dance_grpo und sonst sde</translation>
    </message>
    <message>
        <source>As the objective has it</source>
        <translation>Wie die Zielfunktion</translation>
    </message>
    <message>
        <source>Flow-GRPO&apos;s</source>
        <translation>Die von Flow-GRPO</translation>
    </message>
    <message>
        <source>Coefficients-preserving</source>
        <translation>Koeffizientenerhaltend</translation>
    </message>
    <message>
        <source>DanceGRPO&apos;s</source>
        <translation>Die von DanceGRPO</translation>
    </message>
    <message>
        <source>Stochastic steps per sample</source>
        <translation>Stochastische Schritte je Sample</translation>
    </message>
    <message>
        <source>Steps of each sample that are stochastic and trained on; 0 takes all but the last</source>
        <translation>Schritte jedes Samples, die stochastisch sind und auf denen trainiert wird; 0 nimmt alle außer dem letzten</translation>
    </message>
    <message>
        <source>First stochastic step</source>
        <translation>Erster stochastischer Schritt</translation>
    </message>
    <message>
        <source>First step that a window of rollout.window_size or rollout.branch_steps steps may include</source>
        <translation>Erster Schritt, den ein Fenster von rollout.window_size oder rollout.branch_steps Schritten enthalten darf</translation>
    </message>
    <message>
        <source>End of stochastic steps</source>
        <translation>Ende der stochastischen Schritte</translation>
    </message>
    <message>
        <source>First step that no window of rollout.window_size or rollout.branch_steps steps includes</source>
        <translation>Erster Schritt, den kein Fenster von rollout.window_size oder rollout.branch_steps Schritten enthält</translation>
    </message>
    <message>
        <source>Movement of the window</source>
        <translation>Bewegung des Fensters</translation>
    </message>
    <message>
        <source>MixGRPO: random draws the window for each round, progressive moves it from noise to data</source>
        <translation>MixGRPO: random zieht das Fenster für jede Runde neu, progressive bewegt es vom Rauschen zu den Daten</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Zufällig</translation>
    </message>
    <message>
        <source>Progressive</source>
        <translation>Fortschreitend</translation>
    </message>
    <message>
        <source>Rounds per window</source>
        <translation>Runden je Fenster</translation>
    </message>
    <message>
        <source>Rounds before a progressive window moves on</source>
        <translation>Runden, bevor ein fortschreitendes Fenster weiterrückt</translation>
    </message>
    <message>
        <source>rounds</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>Seed of windows</source>
        <translation>Seed der Fenster</translation>
    </message>
    <message>
        <source>Seed of MixGRPO&apos;s random windows, to which the number of the round is added</source>
        <translation>Seed der zufälligen Fenster von MixGRPO, zu dem die Nummer der Runde addiert wird</translation>
    </message>
    <message>
        <source>Rounds between kept images</source>
        <translation>Runden zwischen behaltenen Bildern</translation>
    </message>
    <message>
        <source>After every so many rounds the best and the worst sample of the prompts that fared best and worst are kept as images; 0: never</source>
        <translation>Nach je so vielen Runden werden das beste und das schlechteste Sample der am besten und am schlechtesten abschneidenden Prompts als Bilder behalten; 0: nie</translation>
    </message>
    <message>
        <source>One noise for each prompt</source>
        <translation>Ein Rauschen je Prompt</translation>
    </message>
    <message>
        <source>Begin all samples of a prompt with the same noise, as DanceGRPO does; they differ by their stochastic steps</source>
        <translation>Alle Samples eines Prompts mit demselben Rauschen beginnen, wie DanceGRPO; sie unterscheiden sich durch ihre stochastischen Schritte</translation>
    </message>
    <message>
        <source>Steps where samples branch</source>
        <translation>Schritte, an denen sich Samples verzweigen</translation>
    </message>
    <message>
        <source>TempFlow-GRPO: so many adjacent steps of each prompt&apos;s sample branch into rollout.samples_per_prompt samples, which are compared with each other and differ by that one step; 0 draws samples that share nothing</source>
        <translation>TempFlow-GRPO: So viele benachbarte Schritte des Samples jedes Prompts verzweigen sich in rollout.samples_per_prompt Samples, die miteinander verglichen werden und sich nur in diesem Schritt unterscheiden; 0 zeichnet Samples, die nichts gemeinsam haben</translation>
    </message>
    <message>
        <source>Weigh branches by their noise</source>
        <translation>Zweige nach Rauschen gewichten</translation>
    </message>
    <message>
        <source>Weigh each step where samples branch by the deviation of its noise, over the mean of all such steps of the round</source>
        <translation>Jeden Schritt, an dem sich Samples verzweigen, mit der Abweichung seines Rauschens gewichten, bezogen auf das Mittel aller solchen Schritte der Runde</translation>
    </message>
    <message>
        <source>Advantages</source>
        <translation>Advantages</translation>
    </message>
    <message>
        <source>Divide by the deviation</source>
        <translation>Durch die Abweichung teilen</translation>
    </message>
    <message>
        <source>Divide advantages by the standard deviation of rewards</source>
        <translation>Advantages durch die Standardabweichung der Rewards teilen</translation>
    </message>
    <message>
        <source>Deviation of all rewards</source>
        <translation>Abweichung aller Rewards</translation>
    </message>
    <message>
        <source>Take the standard deviation over the rewards of all prompts; off: over those of the sample&apos;s prompt</source>
        <translation>Standardabweichung über die Rewards aller Prompts; aus: über die des Prompts des Samples</translation>
    </message>
    <message>
        <source>Advantage limit</source>
        <translation>Grenze der Advantages</translation>
    </message>
    <message>
        <source>Advantages are clamped to this distance from 0</source>
        <translation>Advantages werden auf diesen Abstand von 0 begrenzt</translation>
    </message>
    <message>
        <source>Policy update</source>
        <translation>Policy-Update</translation>
    </message>
    <message>
        <source>Ratio clip</source>
        <translation>Clipping des Verhältnisses</translation>
    </message>
    <message>
        <source>Probability ratios are clipped to this distance from 1; grpo_guard needs less, such as 2e-6</source>
        <translation>Wahrscheinlichkeitsverhältnisse werden auf diesen Abstand von 1 begrenzt; grpo_guard braucht weniger, etwa 2e-6</translation>
    </message>
    <message>
        <source>Weight of the reference</source>
        <translation>Gewicht der Referenz</translation>
    </message>
    <message>
        <source>Weight in the loss of the divergence from the model that training began from; 0 turns it off and saves a pass</source>
        <translation>Gewicht der Divergenz vom Ausgangsmodell im Loss; 0 schaltet sie aus und spart einen Durchgang</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>What policy.kl_coef keeps the model near: the model that training began from, or the moving average that ema.decay keeps</source>
        <translation>In wessen Nähe policy.kl_coef das Modell hält: das Ausgangsmodell oder der gleitende Mittelwert, den ema.decay führt</translation>
    </message>
    <message>
        <source>The model at the start</source>
        <translation>Das Ausgangsmodell</translation>
    </message>
    <message>
        <source>The moving average</source>
        <translation>Der gleitende Mittelwert</translation>
    </message>
    <message>
        <source>Aimed divergence</source>
        <translation>Angestrebte Divergenz</translation>
    </message>
    <message>
        <source>The weight of the reference is raised or lowered after each update so that the divergence comes near to this; 0 keeps it</source>
        <translation>Das Gewicht der Referenz wird nach jedem Update so erhöht oder gesenkt, dass die Divergenz diesem Wert nahe kommt; 0 lässt es, wie es ist</translation>
    </message>
    <message>
        <source>KL of whole steps</source>
        <translation>KL ganzer Schritte</translation>
    </message>
    <message>
        <source>Compute the KL penalty with the deviation of the whole step; off: without √-dt, as published</source>
        <translation>Den KL-Strafterm mit der Abweichung des ganzen Schritts berechnen; aus: ohne √-dt, wie veröffentlicht</translation>
    </message>
    <message>
        <source>Updates per round</source>
        <translation>Updates je Runde</translation>
    </message>
    <message>
        <source>Optimizer steps in one pass over the samples of a round</source>
        <translation>Optimiererschritte in einem Durchgang über die Samples einer Runde</translation>
    </message>
    <message>
        <source>updates</source>
        <translation>Updates</translation>
    </message>
    <message>
        <source>Passes over a round</source>
        <translation>Durchgänge über eine Runde</translation>
    </message>
    <message>
        <source>Passes of the update over the samples of a round</source>
        <translation>Durchgänge des Updates über die Samples einer Runde</translation>
    </message>
    <message>
        <source>Schedule counts rounds</source>
        <translation>Zeitplan zählt Runden</translation>
    </message>
    <message>
        <source>The learning rate changes after the last update of a round only, and the steps of its schedule and warm-up are rounds; off: it changes with each update</source>
        <translation>Die Lernrate ändert sich nur nach dem letzten Update einer Runde, und die Schritte ihres Zeitplans und Aufwärmens sind Runden; aus: sie ändert sich mit jedem Update</translation>
    </message>
    <message>
        <source>Shuffle a round&apos;s passes</source>
        <translation>Durchgänge einer Runde mischen</translation>
    </message>
    <message>
        <source>Take the passes of a round, of batch.micro samples each, in another order each time</source>
        <translation>Die Durchgänge einer Runde, mit je batch.micro Samples, jedes Mal in anderer Reihenfolge nehmen</translation>
    </message>
    <message>
        <source>Divergence limit</source>
        <translation>Divergenzgrenze</translation>
    </message>
    <message>
        <source>flow_dppo leaves out samples whose step has moved further than this in the direction of their advantage</source>
        <translation>flow_dppo lässt Samples aus, deren Schritt sich weiter als das in Richtung ihres Advantages bewegt hat</translation>
    </message>
    <message>
        <source>Divergence by the variance</source>
        <translation>Divergenz durch die Varianz</translation>
    </message>
    <message>
        <source>Divide the divergence of flow_dppo by the variance of the step</source>
        <translation>Die Divergenz von flow_dppo durch die Varianz des Schritts teilen</translation>
    </message>
    <message>
        <source>Published noise scale</source>
        <translation>Veröffentlichte Rauschskala</translation>
    </message>
    <message>
        <source>Scale the noise of cps and dance_sde steps by √-dt as the published implementation does, though they have it already</source>
        <translation>Das Rauschen von cps- und dance_sde-Schritten mit √-dt skalieren, wie es die veröffentlichte Implementierung tut, obwohl sie es schon haben</translation>
    </message>
    <message>
        <source>Recompute log-probabilities</source>
        <translation>Log-Wahrscheinlichkeiten neu berechnen</translation>
    </message>
    <message>
        <source>Predict each round&apos;s log-probabilities anew before its updates; they are those of the sampler bit for bit, which the journal&apos;s rollout_corr/ metrics then show, so that this only costs a pass</source>
        <translation>Die Log-Wahrscheinlichkeiten jeder Runde vor ihren Updates neu vorhersagen; sie gleichen denen des Samplers Bit für Bit, was die rollout_corr/-Metriken des Journals dann zeigen, sodass dies nur einen Durchgang kostet</translation>
    </message>
    <message>
        <source>Learn from a teacher on the samples&apos; trajectories: distill_kl from the means of its steps, distill_fm_mse from its velocity</source>
        <translation>Auf den Trajektorien der Samples von einem Lehrer lernen: distill_kl von den Mitteln seiner Schritte, distill_fm_mse von seiner Geschwindigkeit</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Means of steps</source>
        <translation>Mittel der Schritte</translation>
    </message>
    <message>
        <source>Velocity</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>Teacher</source>
        <translation>Lehrer</translation>
    </message>
    <message>
        <source>Folder of the teacher: its diffusers pipeline, or for the digits model a checkpoint, such as that of another run</source>
        <translation>Ordner des Lehrers: seine diffusers-Pipeline, oder für das Ziffernmodell ein Checkpoint, etwa der eines anderen Laufs</translation>
    </message>
    <message>
        <source>Weight of distillation</source>
        <translation>Gewicht der Destillation</translation>
    </message>
    <message>
        <source>Weight of the distance from the teacher in the loss</source>
        <translation>Gewicht des Abstands vom Lehrer im Loss</translation>
    </message>
    <message>
        <source>Rollout correction</source>
        <translation>Rollout-Korrektur</translation>
    </message>
    <message>
        <source>Importance weights</source>
        <translation>Wichtungsgewichte</translation>
    </message>
    <message>
        <source>Weight samples by the ratio of their recomputed probability to the one they were drawn with, of each step (token) or of all steps (sequence)</source>
        <translation>Samples mit dem Verhältnis ihrer neu berechneten Wahrscheinlichkeit zu der, mit der sie gezogen wurden, gewichten: je Schritt (token) oder über alle Schritte (sequence)</translation>
    </message>
    <message>
        <source>Of each step</source>
        <translation>Jedes Schritts</translation>
    </message>
    <message>
        <source>Of whole samples</source>
        <translation>Ganzer Samples</translation>
    </message>
    <message>
        <source>Importance weight bounds</source>
        <translation>Grenzen der Wichtungsgewichte</translation>
    </message>
    <message>
        <source>Highest importance weight, as in 2; or two bounds, as in 0.5_2, outside of which it is 0</source>
        <translation>Höchstes Wichtungsgewicht, wie in 2; oder zwei Grenzen, wie in 0.5_2, außerhalb derer es 0 ist</translation>
    </message>
    <message>
        <source>Weights of mean 1</source>
        <translation>Gewichte mit Mittel 1</translation>
    </message>
    <message>
        <source>Divide importance weights by their mean</source>
        <translation>Wichtungsgewichte durch ihr Mittel teilen</translation>
    </message>
    <message>
        <source>Rejection modes</source>
        <translation>Verwerfungsarten</translation>
    </message>
    <message>
        <source>Leave out samples whose probability has moved too far from the one they were drawn with: modes such as token_k1 or seq_mean_k3, with commas between them</source>
        <translation>Samples auslassen, deren Wahrscheinlichkeit sich zu weit von der entfernt hat, mit der sie gezogen wurden: Arten wie token_k1 oder seq_mean_k3, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>Rejection bounds</source>
        <translation>Verwerfungsgrenzen</translation>
    </message>
    <message>
        <source>Bounds for all rejection modes, or one for each with commas between them: 2 keeps ratios from 0.5 to 2 for k1 and statistics up to 2 for k2 and k3</source>
        <translation>Grenzen für alle Verwerfungsarten, oder eine für jede, durch Kommas getrennt: 2 behält Verhältnisse von 0.5 bis 2 bei k1 und Statistiken bis 2 bei k2 und k3</translation>
    </message>
    <message>
        <source>Correct at each update</source>
        <translation>Bei jedem Update korrigieren</translation>
    </message>
    <message>
        <source>Reject by the current policy at each update instead of by the policy at the start of the round</source>
        <translation>Bei jedem Update nach der aktuellen Policy verwerfen statt nach der vom Beginn der Runde</translation>
    </message>
    <message>
        <source>Mixing strength</source>
        <translation>Mischungsstärke</translation>
    </message>
    <message>
        <source>DiffusionNFT: how far its two implicit policies, towards good samples and away from bad ones, are from the old one</source>
        <translation>DiffusionNFT: wie weit seine beiden impliziten Policies, hin zu guten Samples und weg von schlechten, von der alten entfernt sind</translation>
    </message>
    <message>
        <source>Advantages that count</source>
        <translation>Zählende Advantages</translation>
    </message>
    <message>
        <source>DiffusionNFT: all advantages by their size, only those of one sign, or only their sign</source>
        <translation>DiffusionNFT: alle Advantages nach ihrer Größe, nur die eines Vorzeichens oder nur ihr Vorzeichen</translation>
    </message>
    <message>
        <source>All, by size</source>
        <translation>Alle, nach Größe</translation>
    </message>
    <message>
        <source>Positive ones</source>
        <translation>Positive</translation>
    </message>
    <message>
        <source>Negative ones</source>
        <translation>Negative</translation>
    </message>
    <message>
        <source>Whether positive</source>
        <translation>Ob positiv</translation>
    </message>
    <message>
        <source>Their sign</source>
        <translation>Ihr Vorzeichen</translation>
    </message>
    <message>
        <source>Share of timesteps</source>
        <translation>Anteil der Zeitschritte</translation>
    </message>
    <message>
        <source>DiffusionNFT: share of the sampler&apos;s timesteps that each sample is trained at, chosen at random</source>
        <translation>DiffusionNFT: Anteil der Zeitschritte des Samplers, bei denen jedes Sample trainiert wird, zufällig gewählt</translation>
    </message>
    <message>
        <source>Smallest error</source>
        <translation>Kleinster Fehler</translation>
    </message>
    <message>
        <source>DiffusionNFT: a sample&apos;s loss is divided by its mean error, but at least by this</source>
        <translation>DiffusionNFT: Der Loss eines Samples wird durch seinen mittleren Fehler geteilt, mindestens aber durch diesen Wert</translation>
    </message>
    <message>
        <source>Where pairs come from</source>
        <translation>Woher Paare kommen</translation>
    </message>
    <message>
        <source>DPO: online draws samples and takes the best and the worst of each prompt by its rewards; offline reads them from the folders chosen and rejected in data.folder, images of the same names, with the captions of the chosen ones</source>
        <translation>DPO: online zeichnet Samples und nimmt nach den Rewards das beste und das schlechteste jedes Prompts; offline liest sie aus den Ordnern chosen und rejected in data.folder, Bilder gleichen Namens, mit den Bildtexten der gewählten</translation>
    </message>
    <message>
        <source>Samples, ranked by rewards</source>
        <translation>Samples, nach Rewards geordnet</translation>
    </message>
    <message>
        <source>A folder of pairs</source>
        <translation>Ein Ordner mit Paaren</translation>
    </message>
    <message>
        <source>Preference strength</source>
        <translation>Stärke der Präferenz</translation>
    </message>
    <message>
        <source>DPO: how strongly the preferred sample of a pair is to be preferred; less lets the model move further from the reference</source>
        <translation>DPO: wie stark das bevorzugte Sample eines Paars zu bevorzugen ist; weniger lässt das Modell sich weiter von der Referenz entfernen</translation>
    </message>
    <message>
        <source>Weight of noise levels</source>
        <translation>Gewicht der Rauschstufen</translation>
    </message>
    <message>
        <source>Advantage-weighted matching: how the error counts at noise level t</source>
        <translation>Advantage-gewichtetes Matching: wie der Fehler bei Rauschstufe t zählt</translation>
    </message>
    <message>
        <source>Equal</source>
        <translation>Gleich</translation>
    </message>
    <message>
        <source>t</source>
        <translation>t</translation>
    </message>
    <message>
        <source>t²</source>
        <translation>t²</translation>
    </message>
    <message>
        <source>Huber, t</source>
        <translation>Huber, t</translation>
    </message>
    <message>
        <source>Generalised Huber, t</source>
        <translation>Verallgemeinerter Huber, t</translation>
    </message>
    <message>
        <source>Power of the Huber weight</source>
        <translation>Exponent des Huber-Gewichts</translation>
    </message>
    <message>
        <source>Advantage-weighted matching: power of the squared error with awm.weight = ghuber</source>
        <translation>Advantage-gewichtetes Matching: Exponent des quadrierten Fehlers mit awm.weight = ghuber</translation>
    </message>
    <message>
        <source>Distance from the average</source>
        <translation>Abstand vom Mittelwert</translation>
    </message>
    <message>
        <source>Advantage-weighted matching: weight of the squared distance from the moving average&apos;s prediction, which ema.decay keeps; 0 turns it off and saves a pass</source>
        <translation>Advantage-gewichtetes Matching: Gewicht des quadrierten Abstands von der Vorhersage des gleitenden Mittelwerts, den ema.decay führt; 0 schaltet ihn aus und spart einen Durchgang</translation>
    </message>
    <message>
        <source>Group preference strength</source>
        <translation>Stärke der Gruppenpräferenz</translation>
    </message>
    <message>
        <source>DGPO: how strongly the better samples of a prompt are to be preferred over the others</source>
        <translation>DGPO: wie stark die besseren Samples eines Prompts den anderen vorzuziehen sind</translation>
    </message>
    <message>
        <source>Clip the loss</source>
        <translation>Loss clippen</translation>
    </message>
    <message>
        <source>DGPO: samples that have moved further than policy.clip give no gradient</source>
        <translation>DGPO: Samples, die sich weiter als policy.clip bewegt haben, geben keinen Gradienten</translation>
    </message>
    <message>
        <source>Clip the penalty</source>
        <translation>Strafterm clippen</translation>
    </message>
    <message>
        <source>DGPO: nor do they in the distance from the reference</source>
        <translation>DGPO: auch nicht im Abstand von der Referenz</translation>
    </message>
    <message>
        <source>Compare with the old policy</source>
        <translation>Mit der alten Policy vergleichen</translation>
    </message>
    <message>
        <source>DGPO: errors are compared with those of the old policy; off: with those of the model that training began from</source>
        <translation>DGPO: Fehler werden mit denen der alten Policy verglichen; aus: mit denen des Ausgangsmodells</translation>
    </message>
    <message>
        <source>Rounds before it samples</source>
        <translation>Runden, bevor sie zeichnet</translation>
    </message>
    <message>
        <source>DGPO: after this many rounds samples come from the old policy</source>
        <translation>DGPO: Nach so vielen Runden kommen Samples von der alten Policy</translation>
    </message>
    <message>
        <source>Old policy</source>
        <translation>Alte Policy</translation>
    </message>
    <message>
        <source>How the old policy follows the one that trains: a copy after each round, or a moving average whose decay rises</source>
        <translation>Wie die alte Policy der trainierten folgt: eine Kopie nach jeder Runde oder ein gleitender Mittelwert, dessen Abklingfaktor steigt</translation>
    </message>
    <message>
        <source>A copy</source>
        <translation>Eine Kopie</translation>
    </message>
    <message>
        <source>Decay rises to 0.3</source>
        <translation>Abklingfaktor steigt auf 0,3</translation>
    </message>
    <message>
        <source>Decay rises to 0.5</source>
        <translation>Abklingfaktor steigt auf 0,5</translation>
    </message>
    <message>
        <source>Decay rises to 0.999, later</source>
        <translation>Abklingfaktor steigt auf 0,999, später</translation>
    </message>
    <message>
        <source>Constant decay</source>
        <translation>Fester Abklingfaktor</translation>
    </message>
    <message>
        <source>Decay of the old policy</source>
        <translation>Abklingen der alten Policy</translation>
    </message>
    <message>
        <source>Constant decay of the old policy&apos;s moving average</source>
        <translation>Fester Abklingfaktor des gleitenden Mittelwerts der alten Policy</translation>
    </message>
    <message>
        <source>Rounds between updates of it</source>
        <translation>Runden zwischen ihren Updates</translation>
    </message>
    <message>
        <source>The old policy follows after every so many rounds</source>
        <translation>Die alte Policy folgt nach je so vielen Runden</translation>
    </message>
    <message>
        <source>Timesteps</source>
        <translation>Zeitschritte</translation>
    </message>
    <message>
        <source>Choice of timesteps</source>
        <translation>Wahl der Zeitschritte</translation>
    </message>
    <message>
        <source>Timesteps that samples are trained at: drawn from a range in equal parts, or from the sampler&apos;s own</source>
        <translation>Zeitschritte, bei denen Samples trainiert werden: aus einem Bereich in gleichen Teilen gezogen oder die des Samplers</translation>
    </message>
    <message>
        <source>The sampler&apos;s</source>
        <translation>Die des Samplers</translation>
    </message>
    <message>
        <source>The sampler&apos;s, with the first</source>
        <translation>Die des Samplers, mit dem ersten</translation>
    </message>
    <message>
        <source>The sampler&apos;s, without the first</source>
        <translation>Die des Samplers, ohne den ersten</translation>
    </message>
    <message>
        <source>Timesteps per sample</source>
        <translation>Zeitschritte je Sample</translation>
    </message>
    <message>
        <source>Timesteps that each sample is trained at in an update</source>
        <translation>Zeitschritte, bei denen jedes Sample in einem Update trainiert wird</translation>
    </message>
    <message>
        <source>timesteps</source>
        <translation>Zeitschritte</translation>
    </message>
    <message>
        <source>Start of the range</source>
        <translation>Anfang des Bereichs</translation>
    </message>
    <message>
        <source>Start of the range of timesteps, as a fraction of the way from noise to data</source>
        <translation>Anfang des Bereichs der Zeitschritte, als Anteil des Wegs vom Rauschen zu den Daten</translation>
    </message>
    <message>
        <source>End of the range</source>
        <translation>Ende des Bereichs</translation>
    </message>
    <message>
        <source>End of the range of timesteps, as a fraction of the way from noise to data</source>
        <translation>Ende des Bereichs der Zeitschritte, als Anteil des Wegs vom Rauschen zu den Daten</translation>
    </message>
    <message>
        <source>Shift of timesteps</source>
        <translation>Verschiebung der Zeitschritte</translation>
    </message>
    <message>
        <source>Shift of drawn timesteps towards the data</source>
        <translation>Verschiebung gezogener Zeitschritte zu den Daten hin</translation>
    </message>
    <message>
        <source>Rewards</source>
        <translation>Rewards</translation>
    </message>
    <message>
        <source>Rewards with their weights, of which the weighted sum is trained on, as in jpeg_size:0.2, program:./score.sh:1, http://127.0.0.1:8000/score:1, judge:http://127.0.0.1:8000/v1/chat/completions, clip:./PickScore_v1:0.0385, aesthetic:./clip-vit-large-patch14:1, model.pt:0.5; programs and .pt and .pt2 files run with your rights, so use only what you trust; a reward of weight 0 is journalled only; group: before a program, server, judge or model file, as in group:program:./rank.sh, gives it all samples of a prompt at once, and pairs: lets it compare them two by two</source>
        <translation>Rewards mit ihren Gewichten, auf deren gewichtete Summe trainiert wird, wie in jpeg_size:0.2, program:./score.sh:1, http://127.0.0.1:8000/score:1, judge:http://127.0.0.1:8000/v1/chat/completions, clip:./PickScore_v1:0.0385, aesthetic:./clip-vit-large-patch14:1, model.pt:0.5; Programme sowie .pt- und .pt2-Dateien laufen mit den Rechten des Benutzers, also nur Vertrauenswürdiges verwenden; ein Reward mit Gewicht 0 wird nur ins Journal geschrieben; group: vor einem Programm, Server, Judge oder einer Modelldatei, wie in group:program:./rank.sh, gibt ihm alle Samples eines Prompts auf einmal, und pairs: lässt es sie paarweise vergleichen</translation>
    </message>
    <message>
        <source>Timeout of a scorer</source>
        <translation>Zeitlimit eines Bewerters</translation>
    </message>
    <message>
        <source>The run fails when a program or a server needs longer than this for a batch of samples, or a judge for one question</source>
        <translation>Der Lauf schlägt fehl, wenn ein Programm oder ein Server für einen Stapel Samples, oder ein Judge für eine Frage, länger braucht</translation>
    </message>
    <message>
        <source>Model of the judge</source>
        <translation>Modell des Judge</translation>
    </message>
    <message>
        <source>Name under which the server of a judge knows its vision-language model</source>
        <translation>Name, unter dem der Server eines Judge sein Bild-Sprach-Modell kennt</translation>
    </message>
    <message>
        <source>Question to the judge</source>
        <translation>Frage an den Judge</translation>
    </message>
    <message>
        <source>What a judge is asked about each sample, with {prompt} for its prompt; the first number of the answer is the score</source>
        <translation>Was ein Judge zu jedem Sample gefragt wird, mit {prompt} für dessen Prompt; die erste Zahl der Antwort ist die Bewertung</translation>
    </message>
    <message>
        <source>Question about a group</source>
        <translation>Frage zu einer Gruppe</translation>
    </message>
    <message>
        <source>What a group:judge: is asked about all samples of a prompt together; the last list in square brackets has the scores</source>
        <translation>Was ein group:judge: zu allen Samples eines Prompts zusammen gefragt wird; die letzte Liste in eckigen Klammern enthält die Bewertungen</translation>
    </message>
    <message>
        <source>Question about two samples</source>
        <translation>Frage zu zwei Samples</translation>
    </message>
    <message>
        <source>What a pairs:judge: is asked about every two samples of a prompt; the answer begins with 1, 2 or 0</source>
        <translation>Was ein pairs:judge: zu je zwei Samples eines Prompts gefragt wird; die Antwort beginnt mit 1, 2 oder 0</translation>
    </message>
    <message>
        <source>Questions at a time</source>
        <translation>Gleichzeitige Fragen</translation>
    </message>
    <message>
        <source>Questions that each rank asks a judge at the same time</source>
        <translation>Fragen, die jeder Rank einem Judge gleichzeitig stellt</translation>
    </message>
    <message>
        <source>Divide CLIP models</source>
        <translation>CLIP-Modelle aufteilen</translation>
    </message>
    <message>
        <source>Each data-parallel rank keeps only a part of CLIP models and gets the others&apos; parts, layer by layer, while it scores; samples are then scored after they are drawn, and not while the next ones are</source>
        <translation>Jeder datenparallele Rank behält nur einen Teil der CLIP-Modelle und bekommt die Teile der anderen beim Bewerten Schicht für Schicht; Samples werden dann bewertet, nachdem sie gezeichnet sind, und nicht, während die nächsten entstehen</translation>
    </message>
    <message>
        <source>Reward limit</source>
        <translation>Grenze des Rewards</translation>
    </message>
    <message>
        <source>The weighted sum of rewards is clamped to this distance from 0; 0 turns that off</source>
        <translation>Die gewichtete Summe der Rewards wird auf diesen Abstand von 0 begrenzt; 0 schaltet das aus</translation>
    </message>
    <message>
        <source>Watched reward</source>
        <translation>Beobachteter Reward</translation>
    </message>
    <message>
        <source>A reward that is watched, not trained on, to see whether the model only pleases the one that is: the short name of a reward of weight 0, or judge for the digits model, whose second classifier judges then</source>
        <translation>Ein Reward, der beobachtet, aber nicht trainiert wird, um zu sehen, ob das Modell nur dem trainierten gefällt: der Kurzname eines Rewards mit Gewicht 0, oder judge beim Ziffernmodell, dessen zweiter Klassifikator dann urteilt</translation>
    </message>
    <message>
        <source>Rounds without a gain in it</source>
        <translation>Runden ohne Gewinn darin</translation>
    </message>
    <message>
        <source>The run stops when the watched reward has not exceeded its best for so many rounds; 0 never stops it</source>
        <translation>Der Lauf stoppt, wenn der beobachtete Reward so viele Runden lang seinen besten Wert nicht übertroffen hat; 0 stoppt ihn nie</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Compute dtype</source>
        <translation>Rechen-Dtype</translation>
    </message>
    <message>
        <source>Dtype of gathered parameters and activations; master weights stay in fp32; fp16 needs GPUs</source>
        <translation>Dtype gesammelter Parameter und Aktivierungen; Master-Gewichte bleiben in fp32; fp16 braucht GPUs</translation>
    </message>
    <message>
        <source>float16</source>
        <translation>float16</translation>
    </message>
    <message>
        <source>Reduction dtype</source>
        <translation>Dtype der Reduktion</translation>
    </message>
    <message>
        <source>Dtype in which gradients are reduced between ranks</source>
        <translation>Dtype, in dem Gradienten zwischen Ranks reduziert werden</translation>
    </message>
    <message>
        <source>Free after forward</source>
        <translation>Nach Vorwärts freigeben</translation>
    </message>
    <message>
        <source>Free gathered parameters after forward and gather them again for backward</source>
        <translation>Gesammelte Parameter nach dem Vorwärtsdurchgang freigeben und für den Rückwärtsdurchgang neu sammeln</translation>
    </message>
    <message>
        <source>Reshard group</source>
        <translation>Reshard-Gruppe</translation>
    </message>
    <message>
        <source>Size of the groups of ranks (of one host, for example) that keep the parameters sharded among themselves after forward, so that backward gathers within the group only; 0 turns this off</source>
        <translation>Größe der Gruppen von Ranks (etwa eines Hosts), die die Parameter nach dem Vorwärtsdurchgang unter sich aufgeteilt halten, sodass der Rückwärtsdurchgang nur in der Gruppe sammelt; 0 schaltet das aus</translation>
    </message>
    <message>
        <source>ranks</source>
        <translation>Ranks</translation>
    </message>
    <message>
        <source>Prefetch parameters</source>
        <translation>Parameter vorab holen</translation>
    </message>
    <message>
        <source>Gather the next unit while the current one computes</source>
        <translation>Die nächste Einheit sammeln, während die aktuelle rechnet</translation>
    </message>
    <message>
        <source>Sharded over</source>
        <translation>Aufgeteilt auf</translation>
    </message>
    <message>
        <source>Ranks over which the model is sharded: all, a number, or auto: all, but where several hosts have several ranks each, those of a host; further groups of ranks are replicas</source>
        <translation>Ranks, auf die das Modell aufgeteilt wird: all, eine Zahl oder auto: alle, aber wo mehrere Hosts je mehrere Ranks haben, die eines Hosts; weitere Gruppen von Ranks sind Replikate</translation>
    </message>
    <message>
        <source>Ulysses group</source>
        <translation>Ulysses-Gruppe</translation>
    </message>
    <message>
        <source>Ulysses sequence parallelism: ranks that share a sample and exchange heads for tokens</source>
        <translation>Ulysses-Sequenzparallelität: Ranks, die sich ein Sample teilen und Köpfe gegen Tokens tauschen</translation>
    </message>
    <message>
        <source>Ring group</source>
        <translation>Ring-Gruppe</translation>
    </message>
    <message>
        <source>Ring sequence parallelism: ranks (or groups of Ulysses ranks) that share a sample and pass keys and values around</source>
        <translation>Ring-Sequenzparallelität: Ranks (oder Gruppen von Ulysses-Ranks), die sich ein Sample teilen und Keys und Values herumreichen</translation>
    </message>
    <message>
        <source>Attention kernel</source>
        <translation>Attention-Kernel</translation>
    </message>
    <message>
        <source>Attention kernel: auto picks the fastest; math stores the attention weights of all heads; by_head (CPU) those of one head at a time; flash, efficient (GPU) and cudnn (GPU) store none; a kernel that does not support the device, a mask or a ring falls back to auto</source>
        <translation>Attention-Kernel: auto wählt den schnellsten; math speichert die Attention-Gewichte aller Köpfe; by_head (CPU) die je eines Kopfes; flash, efficient (GPU) und cudnn (GPU) speichern keine; ein Kernel, der Gerät, Maske oder Ring nicht unterstützt, weicht auf auto aus</translation>
    </message>
    <message>
        <source>Math</source>
        <translation>Math</translation>
    </message>
    <message>
        <source>By head</source>
        <translation>Je Kopf</translation>
    </message>
    <message>
        <source>Flash</source>
        <translation>Flash</translation>
    </message>
    <message>
        <source>Efficient</source>
        <translation>Efficient</translation>
    </message>
    <message>
        <source>cuDNN</source>
        <translation>cuDNN</translation>
    </message>
    <message>
        <source>Reduce in each pass</source>
        <translation>In jedem Durchgang reduzieren</translation>
    </message>
    <message>
        <source>Reduce gradients after each backward pass; off: only after the last pass of a step, with unsharded fp32 gradients in memory</source>
        <translation>Gradienten nach jedem Rückwärtsdurchgang reduzieren; aus: nur nach dem letzten Durchgang eines Schritts, mit unaufgeteilten fp32-Gradienten im Speicher</translation>
    </message>
    <message>
        <source>Shared memory</source>
        <translation>Gemeinsamer Speicher</translation>
    </message>
    <message>
        <source>Gloo</source>
        <translation>Gloo</translation>
    </message>
    <message>
        <source>Recomputed blocks</source>
        <translation>Neu berechnete Blöcke</translation>
    </message>
    <message>
        <source>Activation checkpointing: blocks that recompute their activations in backward; none, all, every N or names, as in blocks.0, blocks.1*</source>
        <translation>Activation Checkpointing: Blöcke, die ihre Aktivierungen im Rückwärtsdurchgang neu berechnen; none, all, every N oder Namen, wie in blocks.0, blocks.1*</translation>
    </message>
    <message>
        <source>Blocks kept gathered</source>
        <translation>Gesammelt gehaltene Blöcke</translation>
    </message>
    <message>
        <source>Blocks whose parameters stay gathered after forward despite engine.reshard_after_forward; none, all, every N or names</source>
        <translation>Blöcke, deren Parameter trotz engine.reshard_after_forward nach dem Vorwärtsdurchgang gesammelt bleiben; none, all, every N oder Namen</translation>
    </message>
    <message>
        <source>Gathered in evaluation</source>
        <translation>In der Auswertung gesammelt</translation>
    </message>
    <message>
        <source>Parameters that stay gathered while the model draws samples or validates: those of the whole model, which is fast, or of one block at a time; auto: the whole model where it takes at most half of the free memory</source>
        <translation>Parameter, die gesammelt bleiben, während das Modell Samples zeichnet oder validiert: die des ganzen Modells, was schnell ist, oder je eines Blocks; auto: das ganze Modell, wo es höchstens die Hälfte des freien Speichers braucht</translation>
    </message>
    <message>
        <source>Whole model</source>
        <translation>Ganzes Modell</translation>
    </message>
    <message>
        <source>Block by block</source>
        <translation>Block für Block</translation>
    </message>
    <message>
        <source>Blocks in fp32</source>
        <translation>Blöcke in fp32</translation>
    </message>
    <message>
        <source>Blocks that compute in fp32 regardless of engine.compute_dtype; none, all, every N or names</source>
        <translation>Blöcke, die unabhängig von engine.compute_dtype in fp32 rechnen; none, all, every N oder Namen</translation>
    </message>
    <message>
        <source>Offload to host memory</source>
        <translation>In Host-Speicher auslagern</translation>
    </message>
    <message>
        <source>Offload from GPU to host memory: optimizer states outside training, everything idle, or the shards permanently (the CPU then updates the weights); no effect on CPU</source>
        <translation>Von der GPU in den Host-Speicher auslagern: Optimiererzustände außerhalb des Trainings, alles Ruhende oder dauerhaft die Shards (die CPU aktualisiert dann die Gewichte); auf der CPU wirkungslos</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <source>Optimizer states</source>
        <translation>Optimiererzustände</translation>
    </message>
    <message>
        <source>Everything idle</source>
        <translation>Alles Ruhende</translation>
    </message>
    <message>
        <source>Shards, permanently</source>
        <translation>Shards, dauerhaft</translation>
    </message>
    <message>
        <source>Engine: units</source>
        <translation>Engine: Einheiten</translation>
    </message>
    <message>
        <source>Parameters per unit</source>
        <translation>Parameter je Einheit</translation>
    </message>
    <message>
        <source>Consecutive blocks form one unit until it has this many parameters and are gathered and recomputed together; 0: one unit per block</source>
        <translation>Aufeinanderfolgende Blöcke bilden eine Einheit, bis sie so viele Parameter hat, und werden zusammen gesammelt und neu berechnet; 0: eine Einheit je Block</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Blocks in the root unit</source>
        <translation>Blöcke in der Wurzeleinheit</translation>
    </message>
    <message>
        <source>Blocks that belong to the root unit and so stay gathered from forward to backward: comma-separated names in which * stands for anything, as in blocks.0, blocks.1*; * makes the whole model one unit</source>
        <translation>Blöcke, die zur Wurzeleinheit gehören und daher von vorwärts bis rückwärts gesammelt bleiben: durch Kommas getrennte Namen, in denen * für Beliebiges steht, wie in blocks.0, blocks.1*; * macht das ganze Modell zu einer Einheit</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Optimizer: adamw8bit stores its moments in 8 bits; muon orthogonalises the updates of the blocks&apos; matrices</source>
        <translation>Optimierer: adamw8bit speichert seine Momente in 8 Bit; muon orthogonalisiert die Updates der Matrizen der Blöcke</translation>
    </message>
    <message>
        <source>AdamW</source>
        <translation>AdamW</translation>
    </message>
    <message>
        <source>AdamW, 8 bits</source>
        <translation>AdamW, 8 Bit</translation>
    </message>
    <message>
        <source>Muon</source>
        <translation>Muon</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>Momentum</translation>
    </message>
    <message>
        <source>Muon: decay of the momentum; parameters other than the blocks&apos; matrices are updated by AdamW</source>
        <translation>Muon: Abklingfaktor des Momentums; andere Parameter als die Matrizen der Blöcke aktualisiert AdamW</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Peak learning rate</source>
        <translation>Höchste Lernrate</translation>
    </message>
    <message>
        <source>First moment decay (β₁)</source>
        <translation>Abklingen 1. Moment (β₁)</translation>
    </message>
    <message>
        <source>AdamW: decay of the first moment</source>
        <translation>AdamW: Abklingfaktor des ersten Moments</translation>
    </message>
    <message>
        <source>Second moment decay (β₂)</source>
        <translation>Abklingen 2. Moment (β₂)</translation>
    </message>
    <message>
        <source>AdamW: decay of the second moment</source>
        <translation>AdamW: Abklingfaktor des zweiten Moments</translation>
    </message>
    <message>
        <source>Epsilon (ε)</source>
        <translation>Epsilon (ε)</translation>
    </message>
    <message>
        <source>AdamW: added to the denominator</source>
        <translation>AdamW: wird zum Nenner addiert</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>Weight Decay</translation>
    </message>
    <message>
        <source>AdamW: decoupled weight decay; norms and biases are not decayed</source>
        <translation>AdamW: entkoppelter Weight Decay; Normen und Biases sind ausgenommen</translation>
    </message>
    <message>
        <source>Gradient norm limit</source>
        <translation>Grenze der Gradientennorm</translation>
    </message>
    <message>
        <source>Gradients are clipped to this global norm; 0 turns clipping off</source>
        <translation>Gradienten werden auf diese globale Norm begrenzt; 0 schaltet das aus</translation>
    </message>
    <message>
        <source>Loss scaling (fp16)</source>
        <translation>Loss-Skalierung (fp16)</translation>
    </message>
    <message>
        <source>Initial loss scale</source>
        <translation>Anfängliche Loss-Skalierung</translation>
    </message>
    <message>
        <source>fp16: initial loss scale, which keeps small gradients in range</source>
        <translation>fp16: anfängliche Loss-Skalierung, die kleine Gradienten darstellbar hält</translation>
    </message>
    <message>
        <source>Growth factor</source>
        <translation>Wachstumsfaktor</translation>
    </message>
    <message>
        <source>fp16: the loss scale is multiplied by this after scaler.growth_interval steps without overflow</source>
        <translation>fp16: Damit wird die Loss-Skalierung nach scaler.growth_interval Schritten ohne Überlauf multipliziert</translation>
    </message>
    <message>
        <source>Backoff factor</source>
        <translation>Rückzugsfaktor</translation>
    </message>
    <message>
        <source>fp16: the loss scale is multiplied by this when gradients overflow</source>
        <translation>fp16: Damit wird die Loss-Skalierung multipliziert, wenn Gradienten überlaufen</translation>
    </message>
    <message>
        <source>Steps before growth</source>
        <translation>Schritte vor dem Wachsen</translation>
    </message>
    <message>
        <source>fp16: consecutive steps without overflow before the loss scale grows</source>
        <translation>fp16: aufeinanderfolgende Schritte ohne Überlauf, bevor die Loss-Skalierung wächst</translation>
    </message>
    <message>
        <source>Overflows before backoff</source>
        <translation>Überläufe vor dem Rückzug</translation>
    </message>
    <message>
        <source>fp16: number of overflows since the last growth from which on the loss scale shrinks</source>
        <translation>fp16: Anzahl der Überläufe seit dem letzten Wachsen, ab der die Loss-Skalierung schrumpft</translation>
    </message>
    <message>
        <source>overflows</source>
        <translation>Überläufe</translation>
    </message>
    <message>
        <source>Smallest loss scale</source>
        <translation>Kleinste Loss-Skalierung</translation>
    </message>
    <message>
        <source>fp16: smallest loss scale</source>
        <translation>fp16: kleinste Loss-Skalierung</translation>
    </message>
    <message>
        <source>Largest loss scale</source>
        <translation>Größte Loss-Skalierung</translation>
    </message>
    <message>
        <source>fp16: largest loss scale</source>
        <translation>fp16: größte Loss-Skalierung</translation>
    </message>
    <message>
        <source>Learning-rate schedule</source>
        <translation>Zeitplan der Lernrate</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Zeitplan</translation>
    </message>
    <message>
        <source>Learning-rate schedule after warm-up; wsd stays constant and decays at the end</source>
        <translation>Zeitplan der Lernrate nach dem Aufwärmen; wsd bleibt konstant und fällt am Ende ab</translation>
    </message>
    <message>
        <source>Constant</source>
        <translation>Konstant</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>WSD: constant, then decay</source>
        <translation>WSD: konstant, dann Abfall</translation>
    </message>
    <message>
        <source>Warm-up steps</source>
        <translation>Aufwärmschritte</translation>
    </message>
    <message>
        <source>Steps of warm-up, in which the learning rate rises to its peak</source>
        <translation>Schritte des Aufwärmens, in denen die Lernrate auf ihren Höchstwert steigt</translation>
    </message>
    <message>
        <source>Warm-up fraction</source>
        <translation>Aufwärmanteil</translation>
    </message>
    <message>
        <source>Length of the warm-up as a fraction of all steps; used when schedule.warmup_steps is 0</source>
        <translation>Länge des Aufwärmens als Anteil aller Schritte; gilt, wenn schedule.warmup_steps 0 ist</translation>
    </message>
    <message>
        <source>Initial fraction of peak</source>
        <translation>Anfangsanteil vom Höchstwert</translation>
    </message>
    <message>
        <source>Learning rate at the start of the warm-up, as a fraction of the peak</source>
        <translation>Lernrate zu Beginn des Aufwärmens, als Anteil des Höchstwerts</translation>
    </message>
    <message>
        <source>Final fraction of peak</source>
        <translation>Endanteil vom Höchstwert</translation>
    </message>
    <message>
        <source>Learning rate at the end, as a fraction of the peak</source>
        <translation>Lernrate am Ende, als Anteil des Höchstwerts</translation>
    </message>
    <message>
        <source>Cosine cycles</source>
        <translation>Kosinuszyklen</translation>
    </message>
    <message>
        <source>Number of cosine cycles; 0.5 decays once</source>
        <translation>Anzahl der Kosinuszyklen; 0.5 fällt einmal ab</translation>
    </message>
    <message>
        <source>Decay fraction</source>
        <translation>Anteil des Abfalls</translation>
    </message>
    <message>
        <source>Fraction of all steps, at the end, in which the learning rate decays</source>
        <translation>Anteil aller Schritte, am Ende, in dem die Lernrate abfällt</translation>
    </message>
    <message>
        <source>Average of the weights (EMA)</source>
        <translation>Mittelwert der Gewichte (EMA)</translation>
    </message>
    <message>
        <source>EMA decay</source>
        <translation>Abklingfaktor des EMA</translation>
    </message>
    <message>
        <source>Decay of the exponential moving average (EMA) of the weights; 0 turns it off</source>
        <translation>Abklingfaktor des exponentiell gleitenden Mittelwerts (EMA) der Gewichte; 0 schaltet ihn aus</translation>
    </message>
    <message>
        <source>Evaluate with the EMA</source>
        <translation>Mit dem EMA auswerten</translation>
    </message>
    <message>
        <source>Samples and validation use the EMA of the weights if there is one; off: the weights themselves</source>
        <translation>Samples und Validierung verwenden den EMA der Gewichte, wenn es einen gibt; aus: die Gewichte selbst</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>Validation interval</source>
        <translation>Abstand der Validierungen</translation>
    </message>
    <message>
        <source>Steps between validation losses; 0: never</source>
        <translation>Schritte zwischen Validierungs-Losses; 0: nie</translation>
    </message>
    <message>
        <source>Sample images</source>
        <translation>Beispielbilder</translation>
    </message>
    <message>
        <source>Sample interval</source>
        <translation>Abstand der Beispielbilder</translation>
    </message>
    <message>
        <source>Steps between sample images; 0: only at the end</source>
        <translation>Schritte zwischen Beispielbildern; 0: nur am Ende</translation>
    </message>
    <message>
        <source>Sampling steps</source>
        <translation>Sampling-Schritte</translation>
    </message>
    <message>
        <source>Sampling steps from noise to image</source>
        <translation>Sampling-Schritte vom Rauschen zum Bild</translation>
    </message>
    <message>
        <source>Guidance scale</source>
        <translation>Guidance-Skala</translation>
    </message>
    <message>
        <source>Guidance scale of sample images; 1 or less turns guidance off, except for guidance-distilled models (Flux)</source>
        <translation>Guidance-Skala der Beispielbilder; 1 oder weniger schaltet Guidance aus, außer bei guidance-destillierten Modellen (Flux)</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Prompts of sample images, separated by |; empty: some captions of the data</source>
        <translation>Prompts der Beispielbilder, durch | getrennt; leer: einige Bildtexte der Daten</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>Negativer Prompt</translation>
    </message>
    <message>
        <source>Negative prompt of sample images: guidance moves away from it</source>
        <translation>Negativer Prompt der Beispielbilder: Guidance führt davon weg</translation>
    </message>
    <message>
        <source>Images per label</source>
        <translation>Bilder je Label</translation>
    </message>
    <message>
        <source>Images of each label in the sample grid</source>
        <translation>Bilder jedes Labels im Sample-Raster</translation>
    </message>
    <message>
        <source>images</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Judged samples</source>
        <translation>Beurteilte Samples</translation>
    </message>
    <message>
        <source>Samples drawn at the end and judged by a classifier trained on the real data; 0: none</source>
        <translation>Am Ende gezeichnete Samples, die ein auf den echten Daten trainierter Klassifikator beurteilt; 0: keine</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Checkpoint interval</source>
        <translation>Abstand der Checkpoints</translation>
    </message>
    <message>
        <source>Steps between checkpoints; 0: only at the end</source>
        <translation>Schritte zwischen Checkpoints; 0: nur am Ende</translation>
    </message>
    <message>
        <source>Newest to keep</source>
        <translation>Neueste behalten</translation>
    </message>
    <message>
        <source>Number of newest checkpoints to keep; older ones are removed unless pinned</source>
        <translation>Anzahl der neuesten Checkpoints, die behalten werden; ältere werden entfernt, wenn sie nicht angepinnt sind</translation>
    </message>
    <message>
        <source>Multiples to keep</source>
        <translation>Vielfache behalten</translation>
    </message>
    <message>
        <source>Also keep the checkpoints of steps that are multiples of this; 0: none</source>
        <translation>Auch die Checkpoints von Schritten behalten, die Vielfache davon sind; 0: keine</translation>
    </message>
    <message>
        <source>Best to keep</source>
        <translation>Beste behalten</translation>
    </message>
    <message>
        <source>Also keep this many of the best checkpoints by checkpoint.best_metric; 0: none</source>
        <translation>Auch so viele der nach checkpoint.best_metric besten Checkpoints behalten; 0: keine</translation>
    </message>
    <message>
        <source>Metric of the best</source>
        <translation>Metrik der besten</translation>
    </message>
    <message>
        <source>Best value</source>
        <translation>Bester Wert</translation>
    </message>
    <message>
        <source>Lowest</source>
        <translation>Niedrigster</translation>
    </message>
    <message>
        <source>Highest</source>
        <translation>Höchster</translation>
    </message>
    <message>
        <source>Size limit</source>
        <translation>Größengrenze</translation>
    </message>
    <message>
        <source>Limit for the total size of all checkpoints: the oldest are removed first, never the newest, best or pinned; 0: no limit</source>
        <translation>Grenze für die Gesamtgröße aller Checkpoints: Die ältesten werden zuerst entfernt, nie der neueste, die besten oder angepinnte; 0: keine Grenze</translation>
    </message>
    <message>
        <source>GB</source>
        <translation>GB</translation>
    </message>
    <message>
        <source>Saved state</source>
        <translation>Gespeicherter Zustand</translation>
    </message>
    <message>
        <source>What a checkpoint holds; a run resumed from weights alone starts with a new optimizer state</source>
        <translation>Was ein Checkpoint enthält; ein nur von Gewichten fortgesetzter Lauf beginnt mit neuem Optimiererzustand</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Weights alone</source>
        <translation>Nur Gewichte</translation>
    </message>
    <message>
        <source>Loaded state</source>
        <translation>Geladener Zustand</translation>
    </message>
    <message>
        <source>What a resumed run loads from the checkpoint; with weights it starts with a new optimizer state</source>
        <translation>Was ein fortgesetzter Lauf aus dem Checkpoint lädt; mit weights beginnt er mit neuem Optimiererzustand</translation>
    </message>
    <message>
        <source>Strict loading</source>
        <translation>Strenges Laden</translation>
    </message>
    <message>
        <source>A checkpoint must match the names and shapes of the model&apos;s parameters; off: loads what matches and reports the rest</source>
        <translation>Ein Checkpoint muss zu Namen und Formen der Parameter des Modells passen; aus: lädt, was passt, und meldet den Rest</translation>
    </message>
    <message>
        <source>Initial weights from</source>
        <translation>Anfangsgewichte aus</translation>
    </message>
    <message>
        <source>Folder of a checkpoint, of any run, with the initial weights of this run</source>
        <translation>Ordner eines Checkpoints, von einem beliebigen Lauf, mit den Anfangsgewichten dieses Laufs</translation>
    </message>
    <message>
        <source>Two ranks learn to draw handwritten digits: the embedded default, about a minute on two CPU cores. `atelier options` lists every key with its default, range and meaning.</source>
        <translation>Zwei Ranks lernen, handgeschriebene Ziffern zu zeichnen: die eingebaute Vorgabe, etwa eine Minute auf zwei CPU-Kernen. `atelier options` listet jeden Schlüssel mit Vorgabe, Bereich und Bedeutung auf.</translation>
    </message>
    <message>
        <source>As digits-nft, by advantage-weighted matching: the error of the prediction stands for a log-probability. `atelier options` lists every key with its default, range and meaning.</source>
        <translation>Wie digits-nft, mit Advantage-gewichtetem Matching: Der Fehler der Vorhersage steht für eine Log-Wahrscheinlichkeit. `atelier options` listet jeden Schlüssel mit Vorgabe, Bereich und Bedeutung auf.</translation>
    </message>
    <message>
        <source>As digits-flow-grpo, by DanceGRPO: its stochastic steps have the same noise at all levels. `atelier options` lists every key with its default, range and meaning.</source>
        <translation>Wie digits-flow-grpo, mit DanceGRPO: Seine stochastischen Schritte haben auf allen Stufen dasselbe Rauschen. `atelier options` listet jeden Schlüssel mit Vorgabe, Bereich und Bedeutung auf.</translation>
    </message>
    <message>
        <source>As digits-nft, by DGPO: the samples of a prompt are preferred over one another as a group. `atelier options` lists every key with its default, range and meaning.</source>
        <translation>Wie digits-nft, mit DGPO: Die Samples eines Prompts werden als Gruppe einander vorgezogen. `atelier options` listet jeden Schlüssel mit Vorgabe, Bereich und Bedeutung auf.</translation>
    </message>
    <message>
        <source>Two ranks bring a digits model to draw like another one, its teacher, on samples of its own. The teacher is a checkpoint of another run, such as one of digits-flow-grpo: atelier run digits-distill --set distill.teacher=RUN/checkpoints/step-120 `atelier options` lists every key with its default, range and meaning.</source>
        <translation>Zwei Ranks bringen ein Ziffernmodell dazu, wie ein anderes, sein Lehrer, zu zeichnen, auf eigenen Samples. Der Lehrer ist ein Checkpoint eines anderen Laufs, etwa eines von digits-flow-grpo: atelier run digits-distill --set distill.teacher=RUN/checkpoints/step-120 `atelier options` listet jeden Schlüssel mit Vorgabe, Bereich und Bedeutung auf.</translation>
    </message>
    <message>
        <source>As digits-flow-grpo, by DPO: of the samples of each prompt, the one of the highest reward is preferred over that of the lowest. `atelier options` lists every key with its default, range and meaning.</source>
        <translation>Wie digits-flow-grpo, mit DPO: Von den Samples jedes Prompts wird das mit dem höchsten Reward dem mit dem niedrigsten vorgezogen. `atelier options` listet jeden Schlüssel mit Vorgabe, Bereich und Bedeutung auf.</translation>
    </message>
    <message>
        <source>As digits-flow-grpo, by Flow-DPPO: samples whose steps have moved too far are left out, instead of clipping ratios. `atelier options` lists every key with its default, range and meaning.</source>
        <translation>Wie digits-flow-grpo, mit Flow-DPPO: Samples, deren Schritte sich zu weit bewegt haben, werden ausgelassen, statt Verhältnisse zu clippen. `atelier options` listet jeden Schlüssel mit Vorgabe, Bereich und Bedeutung auf.</translation>
    </message>
    <message>
        <source>Two ranks teach the digits model to please a reward, by Flow-GRPO: about two minutes on two CPU cores, after a minute in which the model is trained on images, once for all such runs. The reward is the probability of the asked digit, by a classifier, when the digit is written with more ink than real digits have. `atelier options` lists every key with its default, range and meaning.</source>
        <translation>Zwei Ranks lehren das Ziffernmodell, einem Reward zu gefallen, mit Flow-GRPO: etwa zwei Minuten auf zwei CPU-Kernen, nach einer Minute, in der das Modell auf Bildern trainiert wird, einmal für alle solchen Läufe. Der Reward ist die Wahrscheinlichkeit der verlangten Ziffer nach einem Klassifikator, wenn die Ziffer mit mehr Tinte geschrieben ist als echte. `atelier options` listet jeden Schlüssel mit Vorgabe, Bereich und Bedeutung auf.</translation>
    </message>
    <message>
        <source>As digits-flow-grpo, by GRPO-Guard: ratios are scaled alike at all noise levels before they are clipped. `atelier options` lists every key with its default, range and meaning.</source>
        <translation>Wie digits-flow-grpo, mit GRPO-Guard: Verhältnisse werden auf allen Rauschstufen gleich skaliert, bevor sie geclippt werden. `atelier options` listet jeden Schlüssel mit Vorgabe, Bereich und Bedeutung auf.</translation>
    </message>
    <message>
        <source>As digits-flow-grpo, by MixGRPO: only a few steps of each sample are stochastic and trained on, the same ones for all samples of a round. `atelier options` lists every key with its default, range and meaning.</source>
        <translation>Wie digits-flow-grpo, mit MixGRPO: Nur wenige Schritte jedes Samples sind stochastisch und werden trainiert, dieselben für alle Samples einer Runde. `atelier options` listet jeden Schlüssel mit Vorgabe, Bereich und Bedeutung auf.</translation>
    </message>
    <message>
        <source>As digits-flow-grpo, by DiffusionNFT: samples of an old policy, which follows, are noised again, and the model learns towards the good ones and away from the bad ones. No log-probabilities are needed, so that samples are drawn without noise in their steps. `atelier options` lists every key with its default, range and meaning.</source>
        <translation>Wie digits-flow-grpo, mit DiffusionNFT: Samples einer alten Policy, die nachfolgt, werden neu verrauscht, und das Modell lernt hin zu den guten und weg von den schlechten. Log-Wahrscheinlichkeiten sind nicht nötig, sodass Samples ohne Rauschen in ihren Schritten gezeichnet werden. `atelier options` listet jeden Schlüssel mit Vorgabe, Bereich und Bedeutung auf.</translation>
    </message>
    <message>
        <source>Two ranks teach a small transformer of Stable Diffusion 3&apos;s kind to draw emoji from their names, from nothing: it is told words, draws pixels, and needs no pretrained network. The images are those of the installed emoji font. The prompts of its samples are not among the names it learns from.</source>
        <translation>Zwei Ranks lehren einen kleinen Transformer nach Art von Stable Diffusion 3, Emoji nach ihren Namen zu zeichnen, von null an: Er bekommt Wörter, zeichnet Pixel und braucht kein vortrainiertes Netz. Die Bilder sind die der installierten Emoji-Schrift. Die Prompts seiner Samples sind nicht unter den Namen, von denen er lernt.</translation>
    </message>
    <message>
        <source>Two ranks teach the emoji model to please a reward, by Flow-GRPO: pictures with more blue in them. It begins with a model that has seen 1,200 steps of emoji, which is trained first, once for all such runs, in about ten minutes on two cores. To begin with one of yours: atelier run emoji-flow-grpo --set checkpoint.init_from=.../runs/emoji-.../checkpoints/step-4000 The prompts are the emoji&apos;s names. The validation loss tells how far the model moves away from emoji: after twice as many steps all that it draws is blue squares.</source>
        <translation>Zwei Ranks lehren das Emoji-Modell, einem Reward zu gefallen, mit Flow-GRPO: Bilder mit mehr Blau darin. Es beginnt mit einem Modell, das 1.200 Schritte Emoji gesehen hat und zuerst trainiert wird, einmal für alle solchen Läufe, in etwa zehn Minuten auf zwei Kernen. Mit einem eigenen beginnen: atelier run emoji-flow-grpo --set checkpoint.init_from=.../runs/emoji-.../checkpoints/step-4000 Die Prompts sind die Namen der Emoji. Der Validierungs-Loss sagt, wie weit sich das Modell von Emoji entfernt: Nach doppelt so vielen Schritten zeichnet es nur noch blaue Quadrate.</translation>
    </message>
    <message>
        <source>An adapter teaches a Stable Diffusion 3 or 3.5 to please a reward, by Flow-GRPO, with the settings that are usual for it. Give the folder of the model, as diffusers has it, and the prompts, one a line: atelier run sd3-flow-grpo --set model.folder=.../stable-diffusion-3.5-medium --set rollout.prompt_file=prompts.txt The reward here is the size of the image as JPEG, which needs no other model: images with more detail. For the taste of people name a CLIP model, such as reward.functions = &quot;clip:/models/PickScore_v1:0.0385&quot;; engine/rewards/README.md says what else there is. The window shows the divergence from the model that training began from; policy.kl_coef holds it back.</source>
        <translation>Ein Adapter lehrt ein Stable Diffusion 3 oder 3.5, einem Reward zu gefallen, mit Flow-GRPO und den dafür üblichen Einstellungen. Anzugeben sind der Ordner des Modells, wie diffusers ihn hat, und die Prompts, einer je Zeile: atelier run sd3-flow-grpo --set model.folder=.../stable-diffusion-3.5-medium --set rollout.prompt_file=prompts.txt Der Reward hier ist die Größe des Bildes als JPEG, die kein weiteres Modell braucht: Bilder mit mehr Einzelheiten. Für den Geschmack von Menschen ein CLIP-Modell nennen, etwa reward.functions = &quot;clip:/models/PickScore_v1:0.0385&quot;; engine/rewards/README.md sagt, was es sonst gibt. Das Fenster zeigt die Divergenz vom Ausgangsmodell; policy.kl_coef hält sie zurück.</translation>
    </message>
    <message>
        <source>An adapter teaches a Stable Diffusion 3 or 3.5 to please a reward, by DiffusionNFT, which needs no stochastic steps. Give the folder of the model, as diffusers has it, and the prompts, one a line: atelier run sd3-nft --set model.folder=.../stable-diffusion-3.5-medium --set rollout.prompt_file=prompts.txt The reward here is the size of the image as JPEG, which needs no other model: images with more detail. For the taste of people name a CLIP model, such as reward.functions = &quot;clip:/models/PickScore_v1:0.0385&quot;; engine/rewards/README.md says what else there is. The window shows the divergence from the model that training began from; policy.kl_coef holds it back.</source>
        <translation>Ein Adapter lehrt ein Stable Diffusion 3 oder 3.5, einem Reward zu gefallen, mit DiffusionNFT, das keine stochastischen Schritte braucht. Anzugeben sind der Ordner des Modells, wie diffusers ihn hat, und die Prompts, einer je Zeile: atelier run sd3-nft --set model.folder=.../stable-diffusion-3.5-medium --set rollout.prompt_file=prompts.txt Der Reward hier ist die Größe des Bildes als JPEG, die kein weiteres Modell braucht: Bilder mit mehr Einzelheiten. Für den Geschmack von Menschen ein CLIP-Modell nennen, etwa reward.functions = &quot;clip:/models/PickScore_v1:0.0385&quot;; engine/rewards/README.md sagt, was es sonst gibt. Das Fenster zeigt die Divergenz vom Ausgangsmodell; policy.kl_coef hält sie zurück.</translation>
    </message>
    <message>
        <source>What to do when a metric meets a condition: &quot;loss is not finite: stop | grad_norm &gt; 100 for 5 steps: notify, checkpoint&quot;; actions are notify, checkpoint, sample and stop</source>
        <translation>Was zu tun ist, wenn eine Metrik eine Bedingung erfüllt: &quot;loss is not finite: stop | grad_norm &gt; 100 for 5 steps: notify, checkpoint&quot;; Aktionen sind notify, checkpoint, sample und stop</translation>
    </message>
    <message>
        <source>GPUs that the ranks get, comma-separated, one for each: indices as in nvidia-smi, UUIDs, or the beginnings of UUIDs; free: as many as there are ranks, on which nobody computes at the start; empty: any, in CUDA&apos;s order</source>
        <translation>GPUs, die die Ranks bekommen, durch Kommas getrennt, je eine: Nummern wie in nvidia-smi, UUIDs oder Anfänge von UUIDs; free: so viele wie Ranks, auf denen beim Start niemand rechnet; leer: beliebige, in der Reihenfolge von CUDA</translation>
    </message>
    <message>
        <source>Environment of the processes</source>
        <translation>Umgebung der Prozesse</translation>
    </message>
    <message>
        <source>Variables for the ranks wherever they run, comma-separated, as in NCCL_SOCKET_IFNAME=ib0, NCCL_IB_HCA=mlx5_0,mlx5_1: a comma belongs to the value unless NAME= follows. They are kept with the run</source>
        <translation>Umgebungsvariablen für die Ranks, wo auch immer sie laufen, durch Kommas getrennt, wie in NCCL_SOCKET_IFNAME=ib0, NCCL_IB_HCA=mlx5_0,mlx5_1: Ein Komma gehört zum Wert, wenn nicht NAME= folgt. Sie werden mit dem Lauf aufbewahrt</translation>
    </message>
    <message>
        <source>Metric that ranks checkpoints, as last measured before each one was written; empty: the mean reward, critic/rewards/mean, in training by a reward, and validation/loss otherwise; the lowest loss while no checkpoint has it</source>
        <translation>Metrik, nach der Checkpoints geordnet werden, wie zuletzt vor dem Schreiben gemessen; leer: beim Training nach einem Reward der mittlere Reward, critic/rewards/mean, sonst validation/loss; der kleinste Loss, solange kein Checkpoint sie hat</translation>
    </message>
    <message>
        <source>Whether the lowest or the highest value of checkpoint.best_metric is best; auto takes highest for the mean reward and lowest for any other metric</source>
        <translation>Ob der kleinste oder der größte Wert von checkpoint.best_metric der beste ist; auto nimmt beim mittleren Reward den größten, bei jeder anderen Metrik den kleinsten</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>How ranks communicate: auto uses NCCL on GPUs, on CPUs shared memory on one host and Gloo across hosts; gloo on GPUs lets ranks share one, slowly</source>
        <translation>Wie Ranks kommunizieren: auto nimmt auf GPUs NCCL, auf CPUs auf einem Host gemeinsamen Speicher und über Hosts hinweg Gloo; mit gloo können sich Ranks eine GPU teilen, langsam</translation>
    </message>
    <message>
        <source>GPU kernels</source>
        <translation>GPU-Kernel</translation>
    </message>
    <message>
        <source>What computes layers on GPUs: auto uses Atelier&apos;s own kernels, which are compiled when a GPU is first used, where there are any</source>
        <translation>Was auf GPUs die Schichten berechnet: auto nimmt die eigenen Kernel von Atelier, soweit es sie gibt; sie werden übersetzt, wenn eine GPU zum ersten Mal benutzt wird</translation>
    </message>
    <message>
        <source>LibTorch&apos;s operators</source>
        <translation>Operatoren von LibTorch</translation>
    </message>
    <message>
        <source>Recompute cheap layers</source>
        <translation>Billige Schichten neu berechnen</translation>
    </message>
    <message>
        <source>Compute norms, GELU and attention&apos;s heads again in backward instead of keeping them: less memory for activations, with the same results and a little more time</source>
        <translation>Normen, GELU und die Köpfe der Attention im Rückwärtsdurchgang neu berechnen, statt sie zu behalten: weniger Speicher für Aktivierungen bei gleichen Ergebnissen und etwas mehr Zeit</translation>
    </message>
</context>
<context>
    <name>outside</name>
    <message>
        <source>Show the option</source>
        <translation>Option zeigen</translation>
    </message>
    <message>
        <source>Start 1 process</source>
        <translation>1 Prozess starten</translation>
    </message>
    <message>
        <source>Start %1 processes</source>
        <translation>%1 Prozesse starten</translation>
    </message>
    <message>
        <source>Use any GPUs</source>
        <translation>Beliebige GPUs nehmen</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen…</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>Choose a model…</source>
        <translation>Modell wählen…</translation>
    </message>
    <message>
        <source>Choose a checkpoint…</source>
        <translation>Checkpoint wählen…</translation>
    </message>
    <message>
        <source>Keep runs elsewhere…</source>
        <translation>Läufe anderswo ablegen…</translation>
    </message>
    <message>
        <source>Train on the CPU</source>
        <translation>Auf der CPU trainieren</translation>
    </message>
    <message>
        <source>Use the free GPU %1</source>
        <translation>Die freie GPU %1 nehmen</translation>
    </message>
    <message>
        <source>Use the free GPUs %1</source>
        <translation>Die freien GPUs %1 nehmen</translation>
    </message>
    <message>
        <source>Keep 1 checkpoint</source>
        <translation>1 Checkpoint behalten</translation>
    </message>
    <message>
        <source>Keep %1 checkpoints</source>
        <translation>%1 Checkpoints behalten</translation>
    </message>
    <message>
        <source>Save weights only</source>
        <translation>Nur Gewichte speichern</translation>
    </message>
    <message>
        <source>Save weights only, keep 1 checkpoint</source>
        <translation>Nur Gewichte speichern, 1 Checkpoint behalten</translation>
    </message>
    <message>
        <source>Save weights only, keep %1 checkpoints</source>
        <translation>Nur Gewichte speichern, %1 Checkpoints behalten</translation>
    </message>
    <message>
        <source>Look into the trash (%1)</source>
        <translation>In den Papierkorb sehen (%1)</translation>
    </message>
    <message>
        <source>Adapt all linear layers</source>
        <translation>Alle linearen Schichten anpassen</translation>
    </message>
    <message>
        <source>Use the usual folder</source>
        <translation>Den üblichen Ordner nehmen</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Data home</source>
        <translation>Datenordner</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Platte</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>Slurm</source>
        <translation>Slurm</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>Adapter</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>Initial weights</source>
        <translation>Anfangsgewichte</translation>
    </message>
    <message>
        <source>Rewards</source>
        <translation>Rewards</translation>
    </message>
    <message>
        <source>the worker program %1; build or install it, or set ATELIER_WORKER to its path</source>
        <translation>das Worker-Programm %1; es bauen oder installieren oder ATELIER_WORKER auf seinen Pfad setzen</translation>
    </message>
    <message>
        <source>the worker program %1 is missing; build or install it, or set ATELIER_WORKER to its path</source>
        <translation>das Worker-Programm %1 fehlt; es bauen oder installieren oder ATELIER_WORKER auf seinen Pfad setzen</translation>
    </message>
    <message>
        <source>127.0.0.1 has free ports</source>
        <translation>127.0.0.1 hat freie Ports</translation>
    </message>
    <message>
        <source>the cluster takes jobs from this machine</source>
        <translation>der Cluster nimmt Jobs von dieser Maschine an</translation>
    </message>
    <message>
        <source>not known yet: a disk or a driver has not answered in time</source>
        <translation>noch nicht bekannt: Eine Platte oder ein Treiber hat nicht rechtzeitig geantwortet</translation>
    </message>
    <message>
        <source>%1 on %2: ranks will share cores, which is slow</source>
        <translation>%1 auf %2: Ranks teilen sich Kerne, was langsam ist</translation>
    </message>
    <message>
        <source>%1 on %2: ranks will share GPUs, which is slow</source>
        <translation>%1 auf %2: Ranks teilen sich GPUs, was langsam ist</translation>
    </message>
    <message>
        <source>%1 on 1 processor core</source>
        <translation>%1 auf 1 Prozessorkern</translation>
    </message>
    <message>
        <source>%1 on %2 processor cores</source>
        <translation>%1 auf %2 Prozessorkernen</translation>
    </message>
    <message>
        <source>1 processor core</source>
        <translation>1 Prozessorkern</translation>
    </message>
    <message>
        <source>%1 processor cores</source>
        <translation>%1 Prozessorkernen</translation>
    </message>
    <message>
        <source>%1: training shares its memory and is slower</source>
        <translation>%1: Das Training teilt sich ihren Speicher und ist langsamer</translation>
    </message>
    <message>
        <source>GPU %1 is used by %2</source>
        <translation>GPU %1 wird benutzt von %2</translation>
    </message>
    <message>
        <source>%1 (process %2 of %3), %4</source>
        <translation>%1 (Prozess %2 von %3), %4</translation>
    </message>
    <message>
        <source>a rank of run %1, %2</source>
        <translation>ein Rank des Laufs %1, %2</translation>
    </message>
    <message>
        <source>process %1, %2</source>
        <translation>Prozess %1, %2</translation>
    </message>
    <message>
        <source>launch.gpus: this machine has no %1; choose other GPUs</source>
        <translation>launch.gpus: Diese Maschine hat kein %1; andere GPUs wählen</translation>
    </message>
    <message>
        <source>%1 for %2: use fewer ranks (launch.ranks) or train on the CPU (run.device=cpu)</source>
        <translation>%1 für %2: weniger Ranks verwenden (launch.ranks) oder auf der CPU trainieren (run.device=cpu)</translation>
    </message>
    <message>
        <source>the NVIDIA driver finds no GPU</source>
        <translation>der NVIDIA-Treiber findet keine GPU</translation>
    </message>
    <message>
        <source>no NVIDIA driver (%1)</source>
        <translation>kein NVIDIA-Treiber (%1)</translation>
    </message>
    <message>
        <source>the NVIDIA driver&apos;s NVML lacks functions that Atelier needs</source>
        <translation>der NVML des NVIDIA-Treibers fehlen Funktionen, die Atelier braucht</translation>
    </message>
    <message>
        <source>the NVIDIA driver does not work: %1</source>
        <translation>der NVIDIA-Treiber funktioniert nicht: %1</translation>
    </message>
    <message>
        <source>%1 free at %2, about %3 needed for checkpoints</source>
        <translation>%1 frei in %2, etwa %3 für Checkpoints nötig</translation>
    </message>
    <message>
        <source>%1 free at %2, about %3 needed for checkpoints, which leaves little for anything else</source>
        <translation>%1 frei in %2, etwa %3 für Checkpoints nötig, was für anderes wenig übrig lässt</translation>
    </message>
    <message>
        <source>%1 free at %2, about %3 needed for checkpoints; free some space or keep fewer (checkpoint.keep, .keep_every, .keep_best, .max_gb)</source>
        <translation>%1 frei in %2, etwa %3 für Checkpoints nötig; Platz schaffen oder weniger behalten (checkpoint.keep, .keep_every, .keep_best, .max_gb)</translation>
    </message>
    <message>
        <source>1 layer gets an adapter</source>
        <translation>1 Schicht bekommt einen Adapter</translation>
    </message>
    <message>
        <source>%1 layers get an adapter</source>
        <translation>%1 Schichten bekommen einen Adapter</translation>
    </message>
    <message>
        <source>%1, %2 billion parameters</source>
        <translation>%1, %2 Milliarden Parameter</translation>
    </message>
    <message>
        <source>%1, %2 million parameters</source>
        <translation>%1, %2 Millionen Parameter</translation>
    </message>
    <message>
        <source>%1 is empty</source>
        <translation>%1 ist leer</translation>
    </message>
    <message>
        <source>%1 can be read</source>
        <translation>%1 ist lesbar</translation>
    </message>
    <message>
        <source>the emoji images are in %1</source>
        <translation>die Emoji-Bilder liegen in %1</translation>
    </message>
    <message>
        <source>the emoji images will be written to %1</source>
        <translation>die Emoji-Bilder werden nach %1 geschrieben</translation>
    </message>
    <message>
        <source>the emoji images are drawn from a font, and %1</source>
        <translation>die Emoji-Bilder werden aus einer Schrift gezeichnet, und %1</translation>
    </message>
    <message>
        <source>%1 is missing; install Debian&apos;s package %2</source>
        <translation>%1 fehlt; Debians Paket %2 installieren</translation>
    </message>
    <message>
        <source>step %1 of run %2</source>
        <translation>Schritt %1 von Lauf %2</translation>
    </message>
    <message>
        <source>%1 will be started by each rank</source>
        <translation>%1 wird von jedem Rank gestartet</translation>
    </message>
    <message>
        <source>samples and their prompts will be sent to %1</source>
        <translation>Samples und ihre Prompts werden an %1 gesendet</translation>
    </message>
    <message>
        <source>%1 is a program, not only weights: it will run with your rights; use only files whose origin you trust</source>
        <translation>%1 ist ein Programm, nicht nur Gewichte: Es läuft mit den Rechten des Benutzers; nur Dateien vertrauenswürdiger Herkunft verwenden</translation>
    </message>
    <message>
        <source>the program, its libraries and small data sets</source>
        <translation>das Programm, seine Bibliotheken und kleine Datensätze</translation>
    </message>
    <message>
        <source>this rank&apos;s part of the weights</source>
        <translation>der Anteil dieses Ranks an den Gewichten</translation>
    </message>
    <message>
        <source>this rank&apos;s part of their moving average</source>
        <translation>der Anteil dieses Ranks an ihrem gleitenden Mittelwert</translation>
    </message>
    <message>
        <source>summed gradients with memory of their own</source>
        <translation>summierte Gradienten mit eigenem Speicher</translation>
    </message>
    <message>
        <source>this rank&apos;s part of the optimizer&apos;s states</source>
        <translation>der Anteil dieses Ranks an den Zuständen des Optimierers</translation>
    </message>
    <message>
        <source>weights gathered for a pass, and gradients before they are summed</source>
        <translation>für einen Durchgang gesammelte Gewichte und Gradienten, bevor sie summiert werden</translation>
    </message>
    <message>
        <source>values of a pass that backward needs</source>
        <translation>Werte eines Durchgangs, die der Rückwärtsdurchgang braucht</translation>
    </message>
    <message>
        <source>copy from which a checkpoint is written</source>
        <translation>Kopie, aus der ein Checkpoint geschrieben wird</translation>
    </message>
    <message>
        <source>%1: must be %2</source>
        <translation>%1: muss sein: %2</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true oder false</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>path of a file</source>
        <translation>Pfad einer Datei</translation>
    </message>
    <message>
        <source>path of a folder</source>
        <translation>Pfad eines Ordners</translation>
    </message>
    <message>
        <source>one of: %1</source>
        <translation>eines von: %1</translation>
    </message>
    <message>
        <source>an integer</source>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>an integer from %1 to %2</source>
        <translation>eine ganze Zahl von %1 bis %2</translation>
    </message>
    <message>
        <source>a number from %1 to %2</source>
        <translation>eine Zahl von %1 bis %2</translation>
    </message>
    <message>
        <source>an integer of at least %1</source>
        <translation>eine ganze Zahl ab %1</translation>
    </message>
    <message>
        <source>a number of at least %1</source>
        <translation>eine Zahl ab %1</translation>
    </message>
    <message>
        <source>an integer of at most %1</source>
        <translation>eine ganze Zahl bis %1</translation>
    </message>
    <message>
        <source>a number of at most %1</source>
        <translation>eine Zahl bis %1</translation>
    </message>
    <message>
        <source>a multiple of %1</source>
        <translation>ein Vielfaches von %1</translation>
    </message>
    <message>
        <source>a multiple of twice %1</source>
        <translation>ein Vielfaches des Doppelten von %1</translation>
    </message>
    <message>
        <source>none, all, every N or names of blocks, as in blocks.0, blocks.1*</source>
        <translation>none, all, every N oder Namen von Blöcken, wie in blocks.0, blocks.1*</translation>
    </message>
    <message>
        <source>a range of steps from 1 on, as in 10..15</source>
        <translation>ein Bereich von Schritten ab 1, wie in 10..15</translation>
    </message>
    <message>
        <source>a time limit, in minutes or as in 8:00:00 or 2-12:00:00</source>
        <translation>ein Zeitlimit, in Minuten oder wie in 8:00:00 oder 2-12:00:00</translation>
    </message>
    <message>
        <source>a name without spaces and quotes</source>
        <translation>ein Name ohne Leerzeichen und Anführungszeichen</translation>
    </message>
    <message>
        <source>text without control characters</source>
        <translation>Text ohne Steuerzeichen</translation>
    </message>
    <message>
        <source>a single line</source>
        <translation>eine einzelne Zeile</translation>
    </message>
    <message>
        <source>all, auto or a number of ranks</source>
        <translation>all, auto oder eine Anzahl von Ranks</translation>
    </message>
    <message>
        <source>even for lora.init = &quot;orthogonal&quot;</source>
        <translation>gerade bei lora.init = &quot;orthogonal&quot;</translation>
    </message>
    <message>
        <source>run.name: must have 1 to 100 characters</source>
        <translation>run.name: muss 1 bis 100 Zeichen haben</translation>
    </message>
    <message>
        <source>unknown key %1; did you mean %2?</source>
        <translation>unbekannter Schlüssel %1; ist %2 gemeint?</translation>
    </message>
    <message>
        <source>unknown key %1; `atelier options` lists all keys</source>
        <translation>unbekannter Schlüssel %1; `atelier options` listet alle auf</translation>
    </message>
    <message>
        <source>%1 more keys are unknown; `atelier options` lists all keys</source>
        <translation>%1 weitere Schlüssel sind unbekannt; `atelier options` listet alle auf</translation>
    </message>
    <message>
        <source>%1 is not supported: %2</source>
        <translation>%1 wird nicht unterstützt: %2</translation>
    </message>
    <message>
        <source>not TOML: %1</source>
        <translation>kein TOML: %1</translation>
    </message>
    <message>
        <source>%1: is a folder, not an experiment file</source>
        <translation>%1: ist ein Ordner, keine Experimentdatei</translation>
    </message>
    <message>
        <source>%1: is not an experiment, because it is not text in UTF-8</source>
        <translation>%1: ist kein Experiment, denn es ist kein Text in UTF-8</translation>
    </message>
    <message>
        <source>%1 is not set: %2</source>
        <translation>%1 ist nicht gesetzt: %2</translation>
    </message>
    <message>
        <source>give the file to train on</source>
        <translation>die Datei angeben, mit der trainiert wird</translation>
    </message>
    <message>
        <source>give the folder of a diffusers pipeline</source>
        <translation>den Ordner einer diffusers-Pipeline angeben</translation>
    </message>
    <message>
        <source>give the folder of images to train on</source>
        <translation>den Ordner der Bilder angeben, mit denen trainiert wird</translation>
    </message>
    <message>
        <source>give a file with a prompt in each line, or in data.folder images whose captions are the prompts</source>
        <translation>eine Datei mit einem Prompt je Zeile angeben, oder in data.folder Bilder, deren Bildtexte die Prompts sind</translation>
    </message>
    <message>
        <source>give at least one reward to train by, as in jpeg_size:1</source>
        <translation>mindestens einen Reward angeben, nach dem trainiert wird, wie in jpeg_size:1</translation>
    </message>
    <message>
        <source>give the name under which the judge&apos;s server knows its model</source>
        <translation>den Namen angeben, unter dem der Server des Judge sein Modell kennt</translation>
    </message>
    <message>
        <source>give the folder of the teacher&apos;s pipeline, or set distill.mode to &quot;none&quot;</source>
        <translation>den Ordner der Pipeline des Lehrers angeben oder distill.mode auf &quot;none&quot; setzen</translation>
    </message>
    <message>
        <source>%1 improves a model that draws already; give the checkpoint of one that algorithm.name = &quot;flow_matching&quot; has trained</source>
        <translation>%1 verbessert ein Modell, das schon zeichnet; den Checkpoint eines mit algorithm.name = &quot;flow_matching&quot; trainierten angeben</translation>
    </message>
    <message>
        <source>%1: no such file</source>
        <translation>%1: Diese Datei gibt es nicht</translation>
    </message>
    <message>
        <source>%1: no such folder</source>
        <translation>%1: Diesen Ordner gibt es nicht</translation>
    </message>
    <message>
        <source>%1: a model trained from scratch takes no adapter; set it to 0</source>
        <translation>%1: Ein von null an trainiertes Modell nimmt keinen Adapter; auf 0 setzen</translation>
    </message>
    <message>
        <source>%1: with an adapter, only the adapter trains; set it to &quot;all&quot;, or set lora.rank = 0</source>
        <translation>%1: Mit einem Adapter trainiert nur der Adapter; auf &quot;all&quot; setzen oder lora.rank = 0</translation>
    </message>
    <message>
        <source>%1 does not divide %2: choose a divisor</source>
        <translation>%1 teilt %2 nicht: einen Teiler wählen</translation>
    </message>
    <message>
        <source>the %1 ranks</source>
        <translation>die %1 Ranks</translation>
    </message>
    <message>
        <source>the %1 ranks of a shard group</source>
        <translation>die %1 Ranks einer Shard-Gruppe</translation>
    </message>
    <message>
        <source>%1 does not divide %2: each node gets the same number of ranks</source>
        <translation>%1 teilt %2 nicht: Jeder Knoten bekommt gleich viele Ranks</translation>
    </message>
    <message>
        <source>%1: each node gets %2 of the ranks, and a rank has one GPU; set it to that number, or to 0 to train on processors</source>
        <translation>%1: Jeder Knoten bekommt %2 der Ranks, und ein Rank hat eine GPU; auf diese Zahl setzen oder auf 0, um auf Prozessoren zu trainieren</translation>
    </message>
    <message>
        <source>launch.gpus names GPUs of this machine, and the run is for Slurm: remove it</source>
        <translation>launch.gpus nennt GPUs dieser Maschine, und der Lauf ist für Slurm: entfernen</translation>
    </message>
    <message>
        <source>%1: names %2 GPUs for %3; name one for each rank</source>
        <translation>%1: nennt %2 GPUs für %3; für jeden Rank eine nennen</translation>
    </message>
    <message>
        <source>%1: names 1 GPU for %2; name one for each rank</source>
        <translation>%1: nennt 1 GPU für %2; für jeden Rank eine nennen</translation>
    </message>
    <message>
        <source>%1 is named twice; each rank needs a GPU of its own</source>
        <translation>%1 ist zweimal genannt; jeder Rank braucht eine eigene GPU</translation>
    </message>
    <message>
        <source>%1 determines the number of passes per step: remove %2</source>
        <translation>%1 bestimmt die Anzahl der Durchgänge je Schritt: %2 entfernen</translation>
    </message>
    <message>
        <source>%1 is not a multiple of %2 times the %3 data-parallel ranks: choose a multiple</source>
        <translation>%1 ist kein Vielfaches von %2 mal die %3 datenparallelen Ranks: ein Vielfaches wählen</translation>
    </message>
    <message>
        <source>%1: samples are compared with others of their prompt; set it to 2 or more</source>
        <translation>%1: Samples werden mit anderen ihres Prompts verglichen; auf 2 oder mehr setzen</translation>
    </message>
    <message>
        <source>%1: steps without noise have no log-probability to train on; set it above 0</source>
        <translation>%1: Schritte ohne Rauschen haben keine Log-Wahrscheinlichkeit zum Trainieren; über 0 setzen</translation>
    </message>
    <message>
        <source>%1: the last step is never stochastic, so that none is left; set it to 2 or more</source>
        <translation>%1: Der letzte Schritt ist nie stochastisch, sodass keiner bleibt; auf 2 oder mehr setzen</translation>
    </message>
    <message>
        <source>%1 does not fit between %2: make the window smaller or the range wider</source>
        <translation>%1 passt nicht zwischen %2: das Fenster kleiner oder den Bereich größer machen</translation>
    </message>
    <message>
        <source>%1 lies beyond %2: set it to at most the steps</source>
        <translation>%1 liegt hinter %2: höchstens auf die Schritte setzen</translation>
    </message>
    <message>
        <source>%1 is not above %2: set it higher</source>
        <translation>%1 liegt nicht über %2: höher setzen</translation>
    </message>
    <message>
        <source>%1, but ema.decay = 0 keeps no moving average: %2</source>
        <translation>%1, aber ema.decay = 0 führt keinen gleitenden Mittelwert: %2</translation>
    </message>
    <message>
        <source>all weights are 0, so that there is nothing to train on; give one reward another weight</source>
        <translation>alle Gewichte sind 0, sodass nichts zu trainieren bleibt; einem Reward ein anderes Gewicht geben</translation>
    </message>
    <message>
        <source>there is no reward %1; did you mean %2?</source>
        <translation>einen Reward %1 gibt es nicht; ist %2 gemeint?</translation>
    </message>
    <message>
        <source>%1 is there twice; give it once, with one weight</source>
        <translation>%1 steht zweimal da; einmal angeben, mit einem Gewicht</translation>
    </message>
    <message>
        <source>a rule is empty</source>
        <translation>eine Regel ist leer</translation>
    </message>
    <message>
        <source>%1 names no action; add one, as in &quot;loss &gt; 2: stop&quot;</source>
        <translation>%1 nennt keine Aktion; eine hinzufügen, wie in &quot;loss &gt; 2: stop&quot;</translation>
    </message>
    <message>
        <source>%1 is no action; there are notify, checkpoint, sample and stop</source>
        <translation>%1 ist keine Aktion; es gibt notify, checkpoint, sample und stop</translation>
    </message>
    <message>
        <source>%1 is no number of steps</source>
        <translation>%1 ist keine Anzahl von Schritten</translation>
    </message>
    <message>
        <source>%1 is no condition such as &quot;loss &gt; 2&quot;, &quot;grad_norm &gt; 100 for 5 steps&quot; or &quot;loss is not finite&quot;</source>
        <translation>%1 ist keine Bedingung wie &quot;loss &gt; 2&quot;, &quot;grad_norm &gt; 100 for 5 steps&quot; oder &quot;loss is not finite&quot;</translation>
    </message>
    <message>
        <source>Rank %1 %2 before the first step; its log is %3</source>
        <translation>Rank %1 %2 vor dem ersten Schritt; sein Log ist %3</translation>
    </message>
    <message>
        <source>Rank %1 %2 before the first step: %3</source>
        <translation>Rank %1 %2 vor dem ersten Schritt: %3</translation>
    </message>
    <message>
        <source>Rank %1 %2 before the first step</source>
        <translation>Rank %1 %2 vor dem ersten Schritt</translation>
    </message>
    <message>
        <source>was killed (signal %1)</source>
        <translation>wurde getötet (Signal %1)</translation>
    </message>
    <message>
        <source>was killed (signal %1, out of memory)</source>
        <translation>wurde getötet (Signal %1, Speicher erschöpft)</translation>
    </message>
    <message>
        <source>crashed (signal %1, %2)</source>
        <translation>ist abgestürzt (Signal %1, %2)</translation>
    </message>
    <message>
        <source>crashed (signal %1, %2, out of memory)</source>
        <translation>ist abgestürzt (Signal %1, %2, Speicher erschöpft)</translation>
    </message>
    <message>
        <source>invalid memory access</source>
        <translation>ungültiger Speicherzugriff</translation>
    </message>
    <message>
        <source>bus error; the shared memory or disk may be full</source>
        <translation>Busfehler; vielleicht ist der gemeinsame Speicher oder die Platte voll</translation>
    </message>
    <message>
        <source>aborted</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>arithmetic error</source>
        <translation>Rechenfehler</translation>
    </message>
    <message>
        <source>illegal instruction; it may be built for another processor</source>
        <translation>ungültiger Befehl; vielleicht für einen anderen Prozessor gebaut</translation>
    </message>
    <message>
        <source>could not be started</source>
        <translation>konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>exited</source>
        <translation>hat sich beendet</translation>
    </message>
    <message>
        <source>lost its peers</source>
        <translation>hat die anderen Ranks verloren</translation>
    </message>
    <message>
        <source>ran out of memory</source>
        <translation>hatte zu wenig Speicher</translation>
    </message>
    <message>
        <source>waited too long for another rank</source>
        <translation>hat zu lange auf einen anderen Rank gewartet</translation>
    </message>
    <message>
        <source>failed (exit code %1)</source>
        <translation>ist fehlgeschlagen (Exit-Code %1)</translation>
    </message>
    <message>
        <source>killed by the user</source>
        <translation>vom Benutzer beendet</translation>
    </message>
    <message>
        <source>stopped now</source>
        <translation>sofort gestoppt</translation>
    </message>
    <message>
        <source>stopped by the rule %1</source>
        <translation>durch die Regel %1 gestoppt</translation>
    </message>
    <message>
        <source>The ranks hung at step %1</source>
        <translation>Die Ranks hingen bei Schritt %1</translation>
    </message>
    <message>
        <source>The ranks write records again</source>
        <translation>Die Ranks schreiben wieder Einträge</translation>
    </message>
    <message>
        <source>No rank has written a record for %1 s; rank %2 was last seen at step %3</source>
        <translation>Seit %1 s hat kein Rank einen Eintrag geschrieben; Rank %2 war zuletzt bei Schritt %3</translation>
    </message>
    <message>
        <source>No rank has written a record for %1 s; the last step was %2</source>
        <translation>Seit %1 s hat kein Rank einen Eintrag geschrieben; der letzte Schritt war %2</translation>
    </message>
    <message>
        <source>%1; not started again: %2</source>
        <translation>%1; nicht neu gestartet: %2</translation>
    </message>
    <message>
        <source>%1; started again from %2, restart %3 of %4</source>
        <translation>%1; neu gestartet ab %2, Neustart %3 von %4</translation>
    </message>
    <message>
        <source>%1; waits %2 s before restart %3 of %4</source>
        <translation>%1; wartet %2 s vor Neustart %3 von %4</translation>
    </message>
    <message>
        <source>the beginning</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>stopped before restart %1; before that: %2</source>
        <translation>vor Neustart %1 gestoppt; davor: %2</translation>
    </message>
    <message>
        <source>it would fail in the same way again</source>
        <translation>es würde wieder genauso fehlschlagen</translation>
    </message>
    <message>
        <source>the same happened in the attempt before, without progress in between</source>
        <translation>im vorigen Versuch geschah dasselbe, ohne Fortschritt dazwischen</translation>
    </message>
    <message>
        <source>1 restart has brought no progress</source>
        <translation>1 Neustart hat keinen Fortschritt gebracht</translation>
    </message>
    <message>
        <source>%1 restarts have brought no progress</source>
        <translation>%1 Neustarts haben keinen Fortschritt gebracht</translation>
    </message>
    <message>
        <source>The run %1</source>
        <translation>Der Lauf %1</translation>
    </message>
    <message>
        <source>goes on with %1 instead of %2, because %3</source>
        <translation>macht mit %1 statt %2 weiter: %3</translation>
    </message>
    <message>
        <source>%1 is lost</source>
        <translation>%1 ist ausgefallen</translation>
    </message>
    <message>
        <source>%1 are lost</source>
        <translation>%1 sind ausgefallen</translation>
    </message>
    <message>
        <source>%1, and on fewer ranks a step would not have the same number of samples</source>
        <translation>%1, und mit weniger Ranks hätte ein Schritt nicht gleich viele Samples</translation>
    </message>
    <message>
        <source>%1, and launch.min_ranks = %2 allows no fewer ranks</source>
        <translation>%1, und launch.min_ranks = %2 erlaubt nicht weniger Ranks</translation>
    </message>
    <message>
        <source>1 GPU</source>
        <translation>1 GPU</translation>
    </message>
    <message>
        <source>%1 GPUs</source>
        <translation>%1 GPUs</translation>
    </message>
    <message>
        <source>1 rank</source>
        <translation>1 Rank</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 Ranks</translation>
    </message>
    <message>
        <source>%1 was requested</source>
        <translation>%1 wurde verlangt</translation>
    </message>
    <message>
        <source>Nobody wrote how this attempt ended</source>
        <translation>Niemand hat festgehalten, wie dieser Versuch endete</translation>
    </message>
    <message>
        <source>rank %1 %2</source>
        <translation>Rank %1 %2</translation>
    </message>
    <message>
        <source>starts</source>
        <translation>startet</translation>
    </message>
    <message>
        <source>waits for the other ranks</source>
        <translation>wartet auf die anderen Ranks</translation>
    </message>
    <message>
        <source>loads data</source>
        <translation>lädt Daten</translation>
    </message>
    <message>
        <source>builds the model</source>
        <translation>baut das Modell</translation>
    </message>
    <message>
        <source>loads weights</source>
        <translation>lädt Gewichte</translation>
    </message>
    <message>
        <source>loads %1</source>
        <translation>lädt %1</translation>
    </message>
    <message>
        <source>trains</source>
        <translation>trainiert</translation>
    </message>
    <message>
        <source>finishes</source>
        <translation>schließt ab</translation>
    </message>
    <message>
        <source>finishes step %1</source>
        <translation>beendet Schritt %1</translation>
    </message>
    <message>
        <source>the ranks prepare the first step</source>
        <translation>die Ranks bereiten den ersten Schritt vor</translation>
    </message>
    <message>
        <source>the supervisor updates the database</source>
        <translation>der Supervisor aktualisiert die Datenbank</translation>
    </message>
    <message>
        <source>the ranks exit</source>
        <translation>die Ranks beenden sich</translation>
    </message>
    <message>
        <source>its supervisor starts</source>
        <translation>der Supervisor startet</translation>
    </message>
    <message>
        <source>restart %1 of %2 in %3 s</source>
        <translation>Neustart %1 von %2 in %3 s</translation>
    </message>
    <message>
        <source>you: it could not be started: %1</source>
        <translation>Sie: Start nicht möglich: %1</translation>
    </message>
    <message>
        <source>you: it is held</source>
        <translation>Sie: Er wird gehalten</translation>
    </message>
    <message>
        <source>the scheduler, which does not run; `atelier queue start` starts it</source>
        <translation>den Scheduler, der nicht läuft; `atelier queue start` startet ihn</translation>
    </message>
    <message>
        <source>its start</source>
        <translation>seinen Start</translation>
    </message>
    <message>
        <source>the run before it to start</source>
        <translation>den Start des Laufs davor</translation>
    </message>
    <message>
        <source>the %1 runs before it to start</source>
        <translation>den Start der %1 Läufe davor</translation>
    </message>
    <message>
        <source>its GPU to be free</source>
        <translation>seine GPU</translation>
    </message>
    <message>
        <source>its %1 GPUs to be free</source>
        <translation>seine %1 GPUs</translation>
    </message>
    <message>
        <source>1 free GPU</source>
        <translation>1 freie GPU</translation>
    </message>
    <message>
        <source>%1 free GPUs</source>
        <translation>%1 freie GPUs</translation>
    </message>
    <message>
        <source>the active run to end</source>
        <translation>das Ende des aktiven Laufs</translation>
    </message>
    <message>
        <source>one of %1 active runs to end</source>
        <translation>das Ende eines der %1 aktiven Läufe</translation>
    </message>
    <message>
        <source>The machine was restarted or switched off while attempt %1 was at step %2</source>
        <translation>Die Maschine wurde neu gestartet oder ausgeschaltet, als Versuch %1 bei Schritt %2 war</translation>
    </message>
    <message>
        <source>The machine was restarted or switched off while attempt %1 was before the first step</source>
        <translation>Die Maschine wurde neu gestartet oder ausgeschaltet, als Versuch %1 vor dem ersten Schritt war</translation>
    </message>
    <message>
        <source>Rank 0 (process %1) ended unexpectedly, %2; the program that started the ranks may know why</source>
        <translation>Rank 0 (Prozess %1) endete unerwartet, %2; das Programm, das die Ranks gestartet hat, weiß vielleicht, warum</translation>
    </message>
    <message>
        <source>Its supervisor (process %1) ended unexpectedly, and its ranks with it, %2</source>
        <translation>Sein Supervisor (Prozess %1) endete unerwartet und mit ihm die Ranks, %2</translation>
    </message>
    <message>
        <source>Its supervisor ended unexpectedly, and its ranks with it, %1</source>
        <translation>Sein Supervisor endete unerwartet und mit ihm die Ranks, %1</translation>
    </message>
    <message>
        <source>Its supervisor (process %1) ended unexpectedly while it waited before a restart, %2: %3</source>
        <translation>Sein Supervisor (Prozess %1) endete unerwartet, während er vor einem Neustart wartete, %2: %3</translation>
    </message>
    <message>
        <source>at step %1</source>
        <translation>bei Schritt %1</translation>
    </message>
    <message>
        <source>before the first step</source>
        <translation>vor dem ersten Schritt</translation>
    </message>
    <message>
        <source>Its supervisor runs, or ran, on %1; inspect and control the run there</source>
        <translation>Sein Supervisor läuft oder lief auf %1; den Lauf dort ansehen und steuern</translation>
    </message>
    <message>
        <source>Its rank 0 runs, or ran, on %1; inspect and control the run there</source>
        <translation>Sein Rank 0 läuft oder lief auf %1; den Lauf dort ansehen und steuern</translation>
    </message>
    <message>
        <source>%1 is not there any more: moved, deleted, or on a disk that is not mounted</source>
        <translation>%1 ist nicht mehr da: verschoben, gelöscht oder auf einer Platte, die nicht eingehängt ist</translation>
    </message>
    <message>
        <source>%1 contains no attempt of a run</source>
        <translation>%1 enthält keinen Versuch eines Laufs</translation>
    </message>
    <message>
        <source>%1 contains no attempt of a run, so it cannot be resumed</source>
        <translation>%1 enthält keinen Versuch eines Laufs und kann daher nicht fortgesetzt werden</translation>
    </message>
    <message>
        <source>Imported from %1 (%2), %3.</source>
        <translation>Importiert aus %1 (%2), %3.</translation>
    </message>
    <message>
        <source>Imported from %1 (%2).</source>
        <translation>Importiert aus %1 (%2).</translation>
    </message>
    <message>
        <source>where it succeeded</source>
        <translation>wo er erfolgreich war</translation>
    </message>
    <message>
        <source>where it finished</source>
        <translation>wo er fertig wurde</translation>
    </message>
    <message>
        <source>where it failed</source>
        <translation>wo er fehlschlug</translation>
    </message>
    <message>
        <source>where it failed with exit code %1</source>
        <translation>wo er mit Exit-Code %1 fehlschlug</translation>
    </message>
    <message>
        <source>Slurm does not know job %1 any more</source>
        <translation>Slurm kennt den Job %1 nicht mehr</translation>
    </message>
    <message>
        <source>Slurm job %1 has ended with %2; its log is %3</source>
        <translation>Slurm-Job %1 endete mit %2; sein Log ist %3</translation>
    </message>
    <message>
        <source>Slurm job %1 has ended with %2: %3</source>
        <translation>Slurm-Job %1 endete mit %2: %3</translation>
    </message>
    <message>
        <source>Slurm job %1 was cancelled</source>
        <translation>Slurm-Job %1 wurde abgebrochen</translation>
    </message>
    <message>
        <source>its time limit was reached before the ranks had written a checkpoint</source>
        <translation>sein Zeitlimit war erreicht, bevor die Ranks einen Checkpoint geschrieben hatten</translation>
    </message>
    <message>
        <source>a node failed</source>
        <translation>ein Knoten fiel aus</translation>
    </message>
    <message>
        <source>it used more memory than it had asked for</source>
        <translation>er brauchte mehr Speicher als angefordert</translation>
    </message>
    <message>
        <source>its nodes could not be started</source>
        <translation>seine Knoten konnten nicht gestartet werden</translation>
    </message>
    <message>
        <source>its deadline was reached</source>
        <translation>seine Frist war erreicht</translation>
    </message>
    <message>
        <source>a job of higher priority took its nodes</source>
        <translation>ein Job höherer Priorität nahm seine Knoten</translation>
    </message>
    <message>
        <source>Slurm job %1 on %2, no answer from Slurm</source>
        <translation>Slurm-Job %1 auf %2, keine Antwort von Slurm</translation>
    </message>
    <message>
        <source>Slurm job %1, no answer from Slurm</source>
        <translation>Slurm-Job %1, keine Antwort von Slurm</translation>
    </message>
    <message>
        <source>Slurm job %1 on %2</source>
        <translation>Slurm-Job %1 auf %2</translation>
    </message>
    <message>
        <source>Slurm job %1</source>
        <translation>Slurm-Job %1</translation>
    </message>
    <message>
        <source>the ranks of %1</source>
        <translation>die Ranks von %1</translation>
    </message>
    <message>
        <source>Slurm (%1), expected at %2</source>
        <translation>Slurm (%1), erwartet um %2</translation>
    </message>
    <message>
        <source>Slurm, expected at %1</source>
        <translation>Slurm, erwartet um %1</translation>
    </message>
    <message>
        <source>Slurm (%1)</source>
        <translation>Slurm (%1)</translation>
    </message>
    <message>
        <source>run %1 has no active supervisor: the run has ended or is about to end</source>
        <translation>Lauf %1 hat keinen aktiven Supervisor: Der Lauf ist zu Ende oder endet gerade</translation>
    </message>
    <message>
        <source>the supervisor of run %1 does not reply; see its log %2</source>
        <translation>der Supervisor von Lauf %1 antwortet nicht; siehe sein Log %2</translation>
    </message>
    <message>
        <source>rank 0 of run %1 has ended</source>
        <translation>Rank 0 von Lauf %1 ist beendet</translation>
    </message>
    <message>
        <source>run %1 has no running rank: it waits before restart %2</source>
        <translation>Lauf %1 hat keinen laufenden Rank: Er wartet vor Neustart %2</translation>
    </message>
    <message>
        <source>run %1 has no running rank; it is about to end</source>
        <translation>Lauf %1 hat keinen laufenden Rank; er endet gerade</translation>
    </message>
    <message>
        <source>no rank of run %1 runs: it waits for its job in Slurm, %2</source>
        <translation>kein Rank von Lauf %1 läuft: Er wartet auf seinen Job in Slurm, %2</translation>
    </message>
    <message>
        <source>run %1 already has a supervisor, %2; stop the run first</source>
        <translation>Lauf %1 hat schon einen Supervisor, %2; zuerst den Lauf stoppen</translation>
    </message>
    <message>
        <source>run %1 is being started by another program; try again in a moment</source>
        <translation>Lauf %1 wird gerade von einem anderen Programm gestartet; gleich noch einmal versuchen</translation>
    </message>
    <message>
        <source>run %1 was imported: another program has recorded it, so Atelier has no experiment with which to resume or repeat it</source>
        <translation>Lauf %1 wurde importiert: Ein anderes Programm hat ihn aufgezeichnet, Atelier hat also kein Experiment, um ihn fortzusetzen oder zu wiederholen</translation>
    </message>
    <message>
        <source>run %1 has finished all its %2 steps; %3</source>
        <translation>Lauf %1 hat alle seine %2 Schritte abgeschlossen; %3</translation>
    </message>
    <message>
        <source>run %1 waits in the queue already; `atelier queue move` changes its place</source>
        <translation>Lauf %1 steht schon in der Warteschlange; `atelier queue move` ändert seinen Platz</translation>
    </message>
    <message>
        <source>run %1 does not wait in the queue; `atelier queue list` shows those that do</source>
        <translation>Lauf %1 steht nicht in der Warteschlange; `atelier queue list` zeigt, welche das tun</translation>
    </message>
    <message>
        <source>run %1 has no checkpoint of step %2; it has no checkpoints</source>
        <translation>Lauf %1 hat keinen Checkpoint von Schritt %2; er hat keine Checkpoints</translation>
    </message>
    <message>
        <source>run %1 has no checkpoint of step %2; it has those of steps %3</source>
        <translation>Lauf %1 hat keinen Checkpoint von Schritt %2; er hat die der Schritte %3</translation>
    </message>
    <message>
        <source>the checkpoint of step %1 is damaged: %2; resume from another one</source>
        <translation>der Checkpoint von Schritt %1 ist beschädigt: %2; von einem anderen fortsetzen</translation>
    </message>
    <message>
        <source>the checkpoint of step %1 is damaged, so the run goes on from step %2: %3</source>
        <translation>der Checkpoint von Schritt %1 ist beschädigt, der Lauf macht daher ab Schritt %2 weiter: %3</translation>
    </message>
    <message>
        <source>the checkpoints of steps %1 are damaged, so the run goes on from step %2: %3</source>
        <translation>die Checkpoints der Schritte %1 sind beschädigt, der Lauf macht daher ab Schritt %2 weiter: %3</translation>
    </message>
    <message>
        <source>every checkpoint of run %1 is damaged: %2</source>
        <translation>jeder Checkpoint von Lauf %1 ist beschädigt: %2</translation>
    </message>
    <message>
        <source>run %1 is active, and its files change; stop it first</source>
        <translation>Lauf %1 ist aktiv, und seine Dateien ändern sich; ihn zuerst stoppen</translation>
    </message>
    <message>
        <source>run %1 has no files that can be packed</source>
        <translation>Lauf %1 hat keine Dateien, die gepackt werden können</translation>
    </message>
    <message>
        <source>run %1 is in %2 already</source>
        <translation>Lauf %1 ist schon in %2</translation>
    </message>
    <message>
        <source>run %1 is not in the trash %2</source>
        <translation>Lauf %1 ist nicht im Papierkorb %2</translation>
    </message>
    <message>
        <source>%1 does not exist; nothing was moved to the trash</source>
        <translation>%1 gibt es nicht; nichts wurde in den Papierkorb verschoben</translation>
    </message>
    <message>
        <source>%1 cannot be restored: its run is not in %2; restore the run first</source>
        <translation>%1 kann nicht wiederhergestellt werden: Der Lauf dazu ist nicht in %2; zuerst den Lauf wiederherstellen</translation>
    </message>
    <message>
        <source>the archive is damaged: %1</source>
        <translation>das Archiv ist beschädigt: %1</translation>
    </message>
    <message>
        <source>the archive is not a packed run: %1</source>
        <translation>das Archiv ist kein gepackter Lauf: %1</translation>
    </message>
    <message>
        <source>a preset&apos;s name %1: %2</source>
        <translation>der Name einer Vorlage %1: %2</translation>
    </message>
    <message>
        <source>a preset&apos;s name %1</source>
        <translation>der Name einer Vorlage %1</translation>
    </message>
    <message>
        <source>must not be empty</source>
        <translation>darf nicht leer sein</translation>
    </message>
    <message>
        <source>must not be longer than %1 bytes</source>
        <translation>darf nicht länger als %1 Bytes sein</translation>
    </message>
    <message>
        <source>must neither start with a dot nor contain a slash, because it becomes the name of a file</source>
        <translation>darf weder mit einem Punkt beginnen noch einen Schrägstrich enthalten, weil er zum Namen einer Datei wird</translation>
    </message>
    <message>
        <source>must be text without control characters</source>
        <translation>muss Text ohne Steuerzeichen sein</translation>
    </message>
    <message>
        <source>must not end in .toml: `atelier run` would take it for a file</source>
        <translation>darf nicht auf .toml enden: `atelier run` hielte ihn für eine Datei</translation>
    </message>
    <message>
        <source>is the name of a ready experiment; choose another one</source>
        <translation>ist der Name eines fertigen Experiments; einen anderen wählen</translation>
    </message>
    <message>
        <source>there is a preset %1 already; delete it first, or choose another name</source>
        <translation>es gibt schon eine Vorlage %1; sie zuerst löschen oder einen anderen Namen wählen</translation>
    </message>
    <message>
        <source>there is no preset %1; `atelier presets` lists them</source>
        <translation>es gibt keine Vorlage %1; `atelier presets` listet sie auf</translation>
    </message>
    <message>
        <source>%1 is no web address; write one that begins with https:// or http://</source>
        <translation>%1 ist keine Webadresse; eine schreiben, die mit https:// oder http:// beginnt</translation>
    </message>
    <message>
        <source>%1 answered the notice with status %2</source>
        <translation>%1 beantwortete die Meldung mit Status %2</translation>
    </message>
    <message>
        <source>%1 did not answer the notice within ten seconds</source>
        <translation>%1 beantwortete die Meldung nicht binnen zehn Sekunden</translation>
    </message>
    <message>
        <source>the notice could not be sent to %1 (error %2 of the network)</source>
        <translation>die Meldung konnte nicht an %1 gesendet werden (Netzwerkfehler %2)</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 kann nicht gelesen werden: %2</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 kann nicht geschrieben werden: %2</translation>
    </message>
    <message>
        <source>%1 cannot be created: %2</source>
        <translation>%1 kann nicht angelegt werden: %2</translation>
    </message>
    <message>
        <source>%1 cannot be executed: %2</source>
        <translation>%1 kann nicht ausgeführt werden: %2</translation>
    </message>
    <message>
        <source>%1 cannot be locked: %2</source>
        <translation>%1 kann nicht gesperrt werden: %2</translation>
    </message>
    <message>
        <source>%1 cannot be moved to %2: %3</source>
        <translation>%1 kann nicht nach %2 verschoben werden: %3</translation>
    </message>
    <message>
        <source>%1; check its owner and permissions</source>
        <translation>%1; Eigentümer und Rechte prüfen</translation>
    </message>
    <message>
        <source>%1; set ATELIER_HOME to a folder on a writable disk</source>
        <translation>%1; ATELIER_HOME auf einen Ordner auf einer beschreibbaren Platte setzen</translation>
    </message>
    <message>
        <source>%1; free some disk space</source>
        <translation>%1; Plattenplatz schaffen</translation>
    </message>
    <message>
        <source>%1; move what is in its way</source>
        <translation>%1; wegräumen, was im Weg ist</translation>
    </message>
    <message>
        <source>%1; raise the limit of open files (ulimit -n)</source>
        <translation>%1; die Grenze offener Dateien erhöhen (ulimit -n)</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>Datei oder Verzeichnis nicht gefunden</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>Keine Berechtigung</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>Ist ein Verzeichnis</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>Kein Verzeichnis</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>Kein Platz mehr auf der Platte</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>Dateisystem nur lesbar</translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation>der Speicher reicht nicht</translation>
    </message>
    <message>
        <source>The index of runs is not open.</source>
        <translation>Der Index der Läufe ist nicht geöffnet.</translation>
    </message>
    <message>
        <source>%1 is locked by another program: close that program, then try again</source>
        <translation>%1 ist von einem anderen Programm gesperrt: jenes Programm schließen, dann erneut versuchen</translation>
    </message>
    <message>
        <source>%1 or its folder cannot be written: grant yourself write permission there</source>
        <translation>%1 oder sein Ordner kann nicht beschrieben werden: sich dort Schreibrechte geben</translation>
    </message>
    <message>
        <source>the disk of %1 is full: free some space, then try again</source>
        <translation>die Platte von %1 ist voll: Platz schaffen, dann erneut versuchen</translation>
    </message>
    <message>
        <source>%1 cannot be used: %2: try again, and check the disk if it happens again</source>
        <translation>%1 kann nicht benutzt werden: %2: erneut versuchen, und die Platte prüfen, wenn es wieder geschieht</translation>
    </message>
    <message>
        <source>%1 was written by a newer version of Atelier and is left untouched: use that version, or run `atelier reindex` to build a new database for this version</source>
        <translation>%1 wurde von einer neueren Version von Atelier geschrieben und bleibt unberührt: jene Version verwenden oder mit `atelier reindex` eine neue Datenbank für diese Version aufbauen</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>supervisor</source>
        <translation>Supervisor</translation>
    </message>
    <message>
        <source>Slurm&apos;s %1 says: %2</source>
        <translation>Slurms %1 meldet: %2</translation>
    </message>
    <message>
        <source>%1 %2: `atelier reindex` builds a new one from the run folders and keeps this file</source>
        <translation>%1 %2: `atelier reindex` baut aus den Laufordnern einen neuen Index auf und behält diese Datei</translation>
    </message>
    <message>
        <source>is not a database</source>
        <translation>ist keine Datenbank</translation>
    </message>
    <message>
        <source>is not a regular file</source>
        <translation>ist keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>is another program&apos;s database</source>
        <translation>ist die Datenbank eines anderen Programms</translation>
    </message>
    <message>
        <source>is damaged (%1)</source>
        <translation>ist beschädigt (%1)</translation>
    </message>
    <message>
        <source>is damaged right after it was written (%1); the disk may be failing</source>
        <translation>ist gleich nach dem Schreiben beschädigt (%1); vielleicht geht die Platte kaputt</translation>
    </message>
    <message>
        <source>%1: %2 damaged lines were left out; their values are missing</source>
        <translation>%1: %2 beschädigte Zeilen wurden ausgelassen; ihre Werte fehlen</translation>
    </message>
    <message>
        <source>%1: 1 damaged line was left out; its values are missing</source>
        <translation>%1: 1 beschädigte Zeile wurde ausgelassen; ihre Werte fehlen</translation>
    </message>
    <message>
        <source>%1: %2 damaged records were left out</source>
        <translation>%1: %2 beschädigte Einträge wurden ausgelassen</translation>
    </message>
    <message>
        <source>%1: 1 damaged record was left out</source>
        <translation>%1: 1 beschädigter Eintrag wurde ausgelassen</translation>
    </message>
    <message>
        <source>1 %1 was left out; Atelier has no place for it</source>
        <translation>%1 ausgelassen; Atelier hat keinen Platz dafür</translation>
    </message>
    <message>
        <source>%1 %2s were left out; Atelier has no place for them</source>
        <translation>%2 ausgelassen (%1); Atelier hat keinen Platz dafür</translation>
    </message>
    <message>
        <source>histogram</source>
        <translation>Histogramm</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>audio clip</source>
        <translation>Audioclip</translation>
    </message>
    <message>
        <source>medium</source>
        <translation>Medium</translation>
    </message>
    <message>
        <source>launch.gpus: %1 is a GPU that is named before; each rank needs one of its own</source>
        <translation>launch.gpus: %1 ist eine GPU, die schon genannt ist; jeder Rank braucht eine eigene</translation>
    </message>
    <message>
        <source>free now: %1</source>
        <translation>jetzt frei: %1</translation>
    </message>
    <message>
        <source>launch.gpus = free: %1 are free for %2; in the queue the run waits for more</source>
        <translation>launch.gpus = free: %1 sind frei für %2; in der Warteschlange wartet der Lauf auf mehr</translation>
    </message>
    <message>
        <source>launch.gpus = free: %1 is free for %2; in the queue the run waits for more</source>
        <translation>launch.gpus = free: %1 ist frei für %2; in der Warteschlange wartet der Lauf auf mehr</translation>
    </message>
    <message>
        <source>launch.gpus = free: %1 are free for %2 (%3); in the queue the run waits for more</source>
        <translation>launch.gpus = free: %1 sind frei für %2 (%3); in der Warteschlange wartet der Lauf auf mehr</translation>
    </message>
    <message>
        <source>launch.gpus = free: %1 is free for %2 (%3); in the queue the run waits for more</source>
        <translation>launch.gpus = free: %1 ist frei für %2 (%3); in der Warteschlange wartet der Lauf auf mehr</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>engine.ulysses = %1: %2, so that every attention exchanges all its tokens between hosts; a divisor of %3 stays within a host, and engine.ring passes less between them</source>
        <translation>engine.ulysses = %1: %2, sodass jede Attention alle ihre Tokens zwischen den Rechnern austauscht; ein Teiler von %3 bleibt auf einem Rechner, und engine.ring gibt weniger zwischen ihnen weiter</translation>
    </message>
    <message>
        <source>engine.ulysses = %1: %2, so that every attention exchanges all its tokens between hosts; engine.ring passes less between them</source>
        <translation>engine.ulysses = %1: %2, sodass jede Attention alle ihre Tokens zwischen den Rechnern austauscht; engine.ring gibt weniger zwischen ihnen weiter</translation>
    </message>
    <message>
        <source>engine.ring = %1: %2, so that the ring passes keys and values between hosts</source>
        <translation>engine.ring = %1: %2, sodass der Ring Keys und Values zwischen den Rechnern weitergibt</translation>
    </message>
    <message>
        <source>a host has 1 rank</source>
        <translation>ein Rechner hat 1 Rank</translation>
    </message>
    <message>
        <source>a host has %1 ranks</source>
        <translation>ein Rechner hat %1 Ranks</translation>
    </message>
    <message>
        <source>the ranks of a host are not consecutive, or not equally many</source>
        <translation>die Ranks eines Rechners folgen nicht aufeinander, oder es sind nicht überall gleich viele</translation>
    </message>
    <message>
        <source>%1: free stands alone; the ranks get as many free GPUs as there are ranks</source>
        <translation>%1: free steht allein; die Ranks bekommen so viele freie GPUs, wie es Ranks gibt</translation>
    </message>
    <message>
        <source>%1 is neither the index nor the UUID of a GPU; `atelier doctor` shows them</source>
        <translation>%1 ist weder die Nummer noch die UUID einer GPU; `atelier doctor` zeigt sie</translation>
    </message>
    <message>
        <source>launch.environment: %1</source>
        <translation>launch.environment: %1</translation>
    </message>
    <message>
        <source>%1 has no value; write NAME=VALUE</source>
        <translation>%1 hat keinen Wert; NAME=WERT schreiben</translation>
    </message>
    <message>
        <source>%1 is no name of a variable: names have letters, digits and _, as in NCCL_SOCKET_IFNAME=ib0</source>
        <translation>%1 ist kein Name einer Variablen: Namen haben Buchstaben, Ziffern und _, wie in NCCL_SOCKET_IFNAME=ib0</translation>
    </message>
    <message>
        <source>%1 is there twice</source>
        <translation>%1 kommt zweimal vor</translation>
    </message>
    <message>
        <source>%1 is set by Atelier</source>
        <translation>%1 setzt Atelier selbst</translation>
    </message>
    <message>
        <source>%1 is set by Atelier; use %2</source>
        <translation>%1 setzt Atelier selbst; dafür gibt es %2</translation>
    </message>
    <message>
        <source>The ranks have the GPUs %1, which were free</source>
        <translation>Die Ranks haben die GPUs %1, die frei waren</translation>
    </message>
    <message>
        <source>launch.gpus = free: %1 is free for %2; `atelier queue add %3` starts the run as soon as there are enough</source>
        <translation>launch.gpus = free: %1 ist frei für %2; `atelier queue add %3` startet den Lauf, sobald es genug sind</translation>
    </message>
    <message>
        <source>launch.gpus = free: %1 are free for %2; `atelier queue add %3` starts the run as soon as there are enough</source>
        <translation>launch.gpus = free: %1 sind frei für %2; `atelier queue add %3` startet den Lauf, sobald es genug sind</translation>
    </message>
    <message>
        <source>the quotes before %1 are not closed</source>
        <translation>die Anführungszeichen vor %1 sind nicht geschlossen</translation>
    </message>
    <message>
        <source>after the quotes of %1 must come a colon and the weight, or a comma, not %2</source>
        <translation>nach den Anführungszeichen von %1 muss ein Doppelpunkt mit dem Gewicht oder ein Komma kommen, nicht %2</translation>
    </message>
    <message>
        <source>quotes in %1: they must enclose the whole name, as in %2</source>
        <translation>Anführungszeichen in %1: sie müssen den ganzen Namen umschließen, wie in %2</translation>
    </message>
    <message>
        <source>there is no reward %1; there are %2, program:PATH, http://HOST:PORT/PATH, judge:URL, clip:FOLDER, aesthetic:FOLDER, and paths of .pt and .pt2 files; group: and pairs: may stand before those that compare samples</source>
        <translation>es gibt keinen Reward %1; es gibt %2, program:PFAD, http://RECHNER:PORT/PFAD, judge:URL, clip:ORDNER, aesthetic:ORDNER und Pfade von .pt- und .pt2-Dateien; group: und pairs: dürfen vor denen stehen, die Samples vergleichen</translation>
    </message>
    <message>
        <source>the URL %1 names no host</source>
        <translation>die URL %1 nennt keinen Rechner</translation>
    </message>
    <message>
        <source>the URL %1 has no path: write at least a slash after the host and port, as in %2</source>
        <translation>die URL %1 hat keinen Pfad: mindestens ein Schrägstrich muss nach Rechner und Port stehen, wie in %2</translation>
    </message>
    <message>
        <source>the URL %1 has a user name or a password, which runs would store; use a server without</source>
        <translation>die URL %1 hat einen Benutzernamen oder ein Passwort, was in Läufen gespeichert würde; einen Server ohne verwenden</translation>
    </message>
    <message>
        <source>the URL %1 has spaces or control characters: write them as %2 and the like</source>
        <translation>die URL %1 hat Leer- oder Steuerzeichen: als %2 und dergleichen schreiben</translation>
    </message>
    <message>
        <source>after %1 must come the path of a program</source>
        <translation>nach %1 muss der Pfad eines Programms kommen</translation>
    </message>
    <message>
        <source>after %1 must come the folder of a CLIP model</source>
        <translation>nach %1 muss der Ordner eines CLIP-Modells kommen</translation>
    </message>
    <message>
        <source>after %1 must come a URL, as in %2</source>
        <translation>nach %1 muss eine URL kommen, wie in %2</translation>
    </message>
    <message>
        <source>after %1 must come a reward, as in %2</source>
        <translation>nach %1 muss ein Reward kommen, wie in %2</translation>
    </message>
    <message>
        <source>a reward has no name: write rewards with single commas between them, as in %1</source>
        <translation>ein Reward hat keinen Namen: Rewards stehen mit je einem Komma dazwischen, wie in %1</translation>
    </message>
    <message>
        <source>%1: this reward scores each sample alone; only programs, servers, judges and .pt and .pt2 files score groups</source>
        <translation>%1: dieser Reward bewertet jedes Sample für sich; nur Programme, Server, Judges und .pt- und .pt2-Dateien bewerten Gruppen</translation>
    </message>
    <message>
        <source>%1: this reward scores each sample alone; only programs, servers, judges and .pt and .pt2 files score pairs</source>
        <translation>%1: dieser Reward bewertet jedes Sample für sich; nur Programme, Server, Judges und .pt- und .pt2-Dateien bewerten Paare</translation>
    </message>
    <message>
        <source>the weight of %1 is %2, but must be a finite number; put a name with colons in quotes</source>
        <translation>das Gewicht von %1 ist %2, muss aber eine endliche Zahl sein; ein Name mit Doppelpunkten gehört in Anführungszeichen</translation>
    </message>
    <message>
        <source>there are more than %1 rewards</source>
        <translation>es sind mehr als %1 Rewards</translation>
    </message>
    <message>
        <source>nothing comes after the last comma</source>
        <translation>nach dem letzten Komma kommt nichts</translation>
    </message>
    <message>
        <source>no such file</source>
        <translation>diese Datei gibt es nicht</translation>
    </message>
    <message>
        <source>no such folder</source>
        <translation>diesen Ordner gibt es nicht</translation>
    </message>
    <message>
        <source>is not a file</source>
        <translation>ist keine Datei</translation>
    </message>
    <message>
        <source>cannot be executed (%1); chmod +x makes it a program</source>
        <translation>kann nicht ausgeführt werden (%1); chmod +x macht ein Programm daraus</translation>
    </message>
    <message>
        <source>cannot be read (%1)</source>
        <translation>kann nicht gelesen werden (%1)</translation>
    </message>
    <message>
        <source>cannot be read as a folder (%1)</source>
        <translation>kann nicht als Ordner gelesen werden (%1)</translation>
    </message>
    <message>
        <source>is missing; it must hold the linear layers that give the score</source>
        <translation>fehlt; darin müssen die linearen Schichten sein, die den Wert berechnen</translation>
    </message>
    <message>
        <source>has no preprocessor_config.json, which says how images are prepared; copy it from the model that this one was trained from</source>
        <translation>hat keine preprocessor_config.json, die sagt, wie Bilder vorbereitet werden; von dem Modell kopieren, aus dem dieses trainiert wurde</translation>
    </message>
    <message>
        <source>has no tokenizer, which is tokenizer_config.json with tokenizer.json or with vocab.json and merges.txt; copy it from the model that this one was trained from</source>
        <translation>hat keinen Tokenizer, also tokenizer_config.json mit tokenizer.json oder mit vocab.json und merges.txt; von dem Modell kopieren, aus dem dieses trainiert wurde</translation>
    </message>
    <message>
        <source>is a %1, but must be a %2, which has a tower for images and one for texts</source>
        <translation>ist ein %1, muss aber ein %2 sein, das einen Teil für Bilder und einen für Texte hat</translation>
    </message>
    <message>
        <source>bounds are a number greater than 0, or two such numbers as in %1</source>
        <translation>Grenzen sind eine Zahl über 0 oder zwei solche Zahlen wie in %1</translation>
    </message>
    <message>
        <source>the lower bound must come first</source>
        <translation>die untere Grenze muss zuerst kommen</translation>
    </message>
    <message>
        <source>there are %1 modes in correction.reject; give one bound for all, or one for each</source>
        <translation>in correction.reject stehen %1 Arten; eine Grenze für alle angeben oder eine für jede</translation>
    </message>
    <message>
        <source>no such mode; there are %1</source>
        <translation>diese Art gibt es nicht; es gibt %1</translation>
    </message>
    <message>
        <source>%1 is never negative and has an upper bound only; give one number</source>
        <translation>%1 ist nie negativ und hat nur eine obere Grenze; eine Zahl angeben</translation>
    </message>
    <message>
        <source>correction.bypass = true corrects by rejection only, but correction.reject is empty: set it, or turn correction.bypass off</source>
        <translation>correction.bypass = true korrigiert nur durch Verwerfen, aber correction.reject ist leer: dort etwas angeben oder correction.bypass ausschalten</translation>
    </message>
    <message>
        <source>policy.recompute_old = false, but rollout correction compares the samples&apos; log-probabilities with recomputed ones: set it to true, or correction.bypass to true to reject at each update</source>
        <translation>policy.recompute_old = false, aber die Korrektur vergleicht die Log-Wahrscheinlichkeiten der Samples mit neu berechneten: auf true setzen, oder correction.bypass auf true, um bei jeder Aktualisierung zu verwerfen</translation>
    </message>
    <message>
        <source>no layer is divided over ranks; engine.shard_size divides the parameters, engine.ulysses and engine.ring the sequences</source>
        <translation>keine Schicht wird auf Ranks verteilt; engine.shard_size teilt die Parameter, engine.ulysses und engine.ring die Sequenzen</translation>
    </message>
    <message>
        <source>parameters are always fully sharded, as with FSDP2; engine.shard_size sets the number of ranks that share them</source>
        <translation>Parameter sind immer ganz verteilt, wie bei FSDP2; engine.shard_size gibt an, wie viele Ranks sie sich teilen</translation>
    </message>
    <message>
        <source>engine.ring divides sequences over ranks, engine.ulysses divides heads</source>
        <translation>engine.ring teilt Sequenzen auf Ranks auf, engine.ulysses die Köpfe</translation>
    </message>
    <message>
        <source>%1, but samples that branch have one stochastic step each: set it to 0, or rollout.branch_steps to 0</source>
        <translation>%1, aber Samples, die sich verzweigen, haben je einen stochastischen Schritt: auf 0 setzen, oder rollout.branch_steps auf 0</translation>
    </message>
    <message>
        <source>distill.mode = &quot;none&quot;, but algorithm.name = &quot;distill&quot; learns from a teacher only: choose how, such as &quot;distill_kl&quot;</source>
        <translation>distill.mode = &quot;none&quot;, aber algorithm.name = &quot;distill&quot; lernt nur von einem Lehrer: wählen, wie, etwa &quot;distill_kl&quot;</translation>
    </message>
    <message>
        <source>distill.mode = &quot;none&quot;, but distill.teacher is set: choose how to learn from the teacher, or unset it</source>
        <translation>distill.mode = &quot;none&quot;, aber distill.teacher ist gesetzt: wählen, wie vom Lehrer gelernt wird, oder ihn entfernen</translation>
    </message>
    <message>
        <source>gold.reward is not set, but %1 waits for a gain in it: name the reward to watch, or set gold.patience to 0</source>
        <translation>gold.reward ist nicht gesetzt, aber %1 wartet auf einen Gewinn darin: den Reward nennen, der beobachtet wird, oder gold.patience auf 0 setzen</translation>
    </message>
    <message>
        <source>policy.kl_coef = 0, but %1 is to be reached by changing it: set it above 0, or policy.kl_target to 0</source>
        <translation>policy.kl_coef = 0, aber %1 soll durch dessen Änderung erreicht werden: über 0 setzen, oder policy.kl_target auf 0</translation>
    </message>
    <message>
        <source>%1: ranks that share a sequence would draw the same dropout mask; set it to 0, or set engine.ulysses and engine.ring to 1</source>
        <translation>%1: Ranks, die sich eine Sequenz teilen, zögen dieselbe Dropout-Maske; auf 0 setzen, oder engine.ulysses und engine.ring auf 1</translation>
    </message>
    <message>
        <source>%1: model.name = &quot;dit&quot; has its own prompts and reward, the digits and how well they are recognised; unset it</source>
        <translation>%1: model.name = &quot;dit&quot; hat eigene Prompts und einen eigenen Reward, die Ziffern und wie gut sie erkannt werden; entfernen</translation>
    </message>
    <message>
        <source>dpo.source = &quot;offline&quot;: model.name = &quot;dit&quot; has no folder of pairs; set it to &quot;online&quot;</source>
        <translation>dpo.source = &quot;offline&quot;: model.name = &quot;dit&quot; hat keinen Ordner mit Paaren; auf &quot;online&quot; setzen</translation>
    </message>
    <message>
        <source>%1: the digits model has one other reward; set it to &quot;judge&quot;, or to nothing</source>
        <translation>%1: das Ziffernmodell hat einen anderen Reward; auf &quot;judge&quot; setzen oder leer lassen</translation>
    </message>
    <message>
        <source>%1: dpo.source = &quot;offline&quot; reads pairs from a folder; set it to &quot;folder&quot;</source>
        <translation>%1: dpo.source = &quot;offline&quot; liest Paare aus einem Ordner; auf &quot;folder&quot; setzen</translation>
    </message>
    <message>
        <source>%1: the model has two transformers, one for each range of noise levels, and %2 can train only one that makes all steps; set algorithm.name to &quot;flow_matching&quot;</source>
        <translation>%1: das Modell hat zwei Transformer, je einen für einen Bereich des Rauschens, und %2 kann nur einen trainieren, der alle Schritte macht; algorithm.name auf &quot;flow_matching&quot; setzen</translation>
    </message>
    <message>
        <source>%1: is not among reward.functions, whose short names are %2; add it there with the weight 0</source>
        <translation>%1: ist nicht unter reward.functions, deren kurze Namen %2 sind; dort mit dem Gewicht 0 hinzufügen</translation>
    </message>
    <message>
        <source>reward.shard = true: ranks that share a model score equally many samples at the same time, but rewards with group: or pairs: are scored prompt by prompt; set it to false</source>
        <translation>reward.shard = true: Ranks, die sich ein Modell teilen, bewerten gleich viele Samples zur selben Zeit, aber Rewards mit group: oder pairs: bewerten Prompt für Prompt; auf false setzen</translation>
    </message>
    <message>
        <source>%1: %2 compares what the same weights predict when samples are drawn and when they are trained on; set it to 0</source>
        <translation>%1: %2 vergleicht, was dieselben Gewichte beim Erzeugen von Samples und beim Training damit vorhersagen; auf 0 setzen</translation>
    </message>
    <message>
        <source>%1: dgpo compares all samples of a prompt in one pass; set it so that the passes of %2 data-parallel ranks together are a multiple of %3</source>
        <translation>%1: dgpo vergleicht alle Samples eines Prompts in einem Durchgang; so setzen, dass die Durchgänge von %2 datenparallelen Ranks zusammen ein Vielfaches von %3 sind</translation>
    </message>
    <message>
        <source>set ema.decay above 0, or %1 to %2</source>
        <translation>ema.decay über 0 setzen, oder %1 auf %2</translation>
    </message>
    <message>
        <source>%1 is not a multiple of %2 times the %3 data-parallel ranks times %4: choose a multiple</source>
        <translation>%1 ist kein Vielfaches von %2 mal den %3 datenparallelen Ranks mal %4: ein Vielfaches wählen</translation>
    </message>
    <message>
        <source>1, 2, 4, 8 or 16</source>
        <translation>1, 2, 4, 8 oder 16</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>the run is for Slurm; a trial on this machine would not say how long its steps take there</source>
        <translation>der Lauf ist für Slurm; eine Probe auf diesem Rechner sagte nicht, wie lange seine Schritte dort dauern</translation>
    </message>
    <message>
        <source>the trial ended after %1 of %2 steps</source>
        <translation>die Probe endete nach %1 von %2 Schritten</translation>
    </message>
    <message>
        <source>the worker program %1 does not answer as this version expects; build or install it again</source>
        <translation>das Worker-Programm %1 antwortet nicht so, wie diese Version es erwartet; neu bauen oder installieren</translation>
    </message>
    <message>
        <source>rank %1 could not be started (%2): check the worker program %3 and the log %4</source>
        <translation>Rank %1 konnte nicht gestartet werden (%2): das Worker-Programm %3 und das Log %4 ansehen</translation>
    </message>
    <message>
        <source>rank %1 could not be started (%2): check the worker program %3</source>
        <translation>Rank %1 konnte nicht gestartet werden (%2): das Worker-Programm %3 ansehen</translation>
    </message>
    <message>
        <source>%1: not a checkpoint (no %2)</source>
        <translation>%1: kein Checkpoint (%2 fehlt)</translation>
    </message>
    <message>
        <source>is damaged or not the manifest of a checkpoint: %1</source>
        <translation>ist beschädigt oder nicht das Manifest eines Checkpoints: %1</translation>
    </message>
    <message>
        <source>its checksum does not match, so it was changed or damaged</source>
        <translation>die Prüfsumme stimmt nicht, also wurde sie verändert oder beschädigt</translation>
    </message>
    <message>
        <source>its checksum does not match, so its content is damaged</source>
        <translation>die Prüfsumme stimmt nicht, also ist der Inhalt beschädigt</translation>
    </message>
    <message>
        <source>a checksum does not match, so its content is damaged between the bytes %1 and %2</source>
        <translation>eine Prüfsumme stimmt nicht, also ist der Inhalt zwischen den Bytes %1 und %2 beschädigt</translation>
    </message>
    <message>
        <source>written by a newer Atelier; update this one</source>
        <translation>von einem neueren Atelier geschrieben; dieses aktualisieren</translation>
    </message>
    <message>
        <source>lists the file name %1, which is not allowed</source>
        <translation>nennt den Dateinamen %1, der nicht erlaubt ist</translation>
    </message>
    <message>
        <source>%1 is missing</source>
        <translation>%1 fehlt</translation>
    </message>
    <message>
        <source>%1 has %2 bytes instead of %3</source>
        <translation>%1 hat %2 Bytes statt %3</translation>
    </message>
    <message>
        <source>has a checksum for the file %1, which it does not list</source>
        <translation>hat eine Prüfsumme für die Datei %1, die darin nicht genannt ist</translation>
    </message>
    <message>
        <source>has a malformed checksum of a block</source>
        <translation>hat eine fehlerhafte Prüfsumme eines Blocks</translation>
    </message>
    <message>
        <source>has checksums for the blocks of %1, which it does not list</source>
        <translation>hat Prüfsummen für die Blöcke von %1, das darin nicht genannt ist</translation>
    </message>
    <message>
        <source>has %1 checksums for the blocks of %2 instead of %3</source>
        <translation>hat %1 Prüfsummen für die Blöcke von %2 statt %3</translation>
    </message>
    <message>
        <source>has another size than its manifest lists</source>
        <translation>hat eine andere Größe, als im Manifest steht</translation>
    </message>
    <message>
        <source>%1 ends early</source>
        <translation>%1 endet zu früh</translation>
    </message>
    <message>
        <source>%1; this checkpoint is left alone</source>
        <translation>%1; dieser Checkpoint bleibt unberührt</translation>
    </message>
    <message>
        <source>tensor %1 has the unknown dtype %2</source>
        <translation>Tensor %1 hat den unbekannten Datentyp %2</translation>
    </message>
    <message>
        <source>tensor %1 has an impossible shape</source>
        <translation>Tensor %1 hat eine unmögliche Form</translation>
    </message>
    <message>
        <source>tensor %1 refers to %2, which the manifest does not list</source>
        <translation>Tensor %1 verweist auf %2, das im Manifest nicht steht</translation>
    </message>
    <message>
        <source>tensor %1 has a gap or an overlap at element %2</source>
        <translation>Tensor %1 hat bei Element %2 eine Lücke oder Überschneidung</translation>
    </message>
    <message>
        <source>tensor %1 reaches past the end of %2</source>
        <translation>Tensor %1 reicht über das Ende von %2 hinaus</translation>
    </message>
    <message>
        <source>tensor %1 lacks elements from %2 on</source>
        <translation>Tensor %1 fehlen Elemente ab %2</translation>
    </message>
    <message>
        <source>the checkpoint&apos;s tensor %1 is not in %2; give the model that the training started from</source>
        <translation>der Tensor %1 des Checkpoints ist nicht in %2; das Modell angeben, mit dem das Training begann</translation>
    </message>
    <message>
        <source>the checkpoint&apos;s tensor %1 is of another shape in %2; give the model that the training started from</source>
        <translation>der Tensor %1 des Checkpoints hat in %2 eine andere Form; das Modell angeben, mit dem das Training begann</translation>
    </message>
    <message>
        <source>holds no weights</source>
        <translation>enthält keine Gewichte</translation>
    </message>
    <message>
        <source>holds no moving average of the weights; export the weights themselves</source>
        <translation>enthält keinen gleitenden Mittelwert der Gewichte; die Gewichte selbst exportieren</translation>
    </message>
    <message>
        <source>holds no adapter %1</source>
        <translation>enthält keinen Adapter %1</translation>
    </message>
    <message>
        <source>holds only one of the two adapter matrices for %1</source>
        <translation>enthält nur eine der zwei Adaptermatrizen für %1</translation>
    </message>
    <message>
        <source>The export was cancelled.</source>
        <translation>Der Export wurde abgebrochen.</translation>
    </message>
    <message>
        <source>does not exist</source>
        <translation>gibt es nicht</translation>
    </message>
    <message>
        <source>is not a folder; give the model&apos;s folder, which holds model_index.json or config.json</source>
        <translation>ist kein Ordner; den Ordner des Modells angeben, in dem model_index.json oder config.json liegt</translation>
    </message>
    <message>
        <source>is not a model folder: it has neither model_index.json nor config.json</source>
        <translation>ist kein Modellordner: weder model_index.json noch config.json ist darin</translation>
    </message>
    <message>
        <source>is missing, although model_index.json lists it; the download is not complete</source>
        <translation>fehlt, obwohl model_index.json es nennt; der Download ist nicht vollständig</translation>
    </message>
    <message>
        <source>its refs/main names the snapshot %1, which is missing; download it again</source>
        <translation>refs/main nennt den Snapshot %1, der fehlt; noch einmal herunterladen</translation>
    </message>
    <message>
        <source>has %1 snapshots and no refs/main; choose one of the folders in %2</source>
        <translation>hat %1 Snapshots und kein refs/main; einen der Ordner in %2 wählen</translation>
    </message>
    <message>
        <source>%1 has no %2; it has: %3</source>
        <translation>%1 hat kein %2; vorhanden: %3</translation>
    </message>
    <message>
        <source>has no weights in safetensors files (looked for %1)</source>
        <translation>hat keine Gewichte in safetensors-Dateien (gesucht: %1)</translation>
    </message>
    <message>
        <source>has no weights of the variant %1 (looked for %2)</source>
        <translation>hat keine Gewichte der Variante %1 (gesucht: %2)</translation>
    </message>
    <message>
        <source>has no weights in safetensors files but %1, a PyTorch file (pickle), which can run code when it is read; convert it to safetensors first</source>
        <translation>hat keine Gewichte in safetensors-Dateien, aber %1, eine PyTorch-Datei (pickle), die beim Lesen Code ausführen kann; zuerst in safetensors umwandeln</translation>
    </message>
    <message>
        <source>choose a variant of its weights: %1</source>
        <translation>eine Variante der Gewichte wählen: %1</translation>
    </message>
    <message>
        <source>has no weights of the variant %1; it has %2</source>
        <translation>hat keine Gewichte der Variante %1; vorhanden: %2</translation>
    </message>
    <message>
        <source>is a link to a file that is missing; the download is not complete</source>
        <translation>ist ein Verweis auf eine Datei, die fehlt; der Download ist nicht vollständig</translation>
    </message>
    <message>
        <source>is not valid JSON (at byte %1)</source>
        <translation>ist kein gültiges JSON (bei Byte %1)</translation>
    </message>
    <message>
        <source>is not a JSON object</source>
        <translation>ist kein JSON-Objekt</translation>
    </message>
    <message>
        <source>its JSON is nested too deeply</source>
        <translation>das JSON ist zu tief verschachtelt</translation>
    </message>
    <message>
        <source>%1 is missing; it must be %2</source>
        <translation>%1 fehlt; muss sein: %2</translation>
    </message>
    <message>
        <source>%1 is not a known key; known keys: %2</source>
        <translation>%1 ist kein bekannter Schlüssel; bekannt: %2</translation>
    </message>
    <message>
        <source>%1 is not supported; supported: %2</source>
        <translation>%1 wird nicht unterstützt; unterstützt: %2</translation>
    </message>
    <message>
        <source>%1 is true, which is not supported</source>
        <translation>%1 ist true, was nicht unterstützt wird</translation>
    </message>
    <message>
        <source>%1 is set, which is not supported</source>
        <translation>%1 ist gesetzt, was nicht unterstützt wird</translation>
    </message>
    <message>
        <source>is not a safetensors file but %1</source>
        <translation>ist keine safetensors-Datei, sondern %1</translation>
    </message>
    <message>
        <source>is not a safetensors file: its header would have %1 bytes</source>
        <translation>ist keine safetensors-Datei: der Kopf hätte %1 Bytes</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <source>only %1 bytes</source>
        <translation>nur %1 Bytes</translation>
    </message>
    <message>
        <source>a PyTorch file (pickle), which can run code when it is read; convert it first</source>
        <translation>eine PyTorch-Datei (pickle), die beim Lesen Code ausführen kann; zuerst umwandeln</translation>
    </message>
    <message>
        <source>a web page; the download was refused or needs a login</source>
        <translation>eine Webseite; der Download wurde verweigert oder verlangt eine Anmeldung</translation>
    </message>
    <message>
        <source>a Git LFS pointer; fetch the file itself with `git lfs pull`</source>
        <translation>ein Verweis von Git LFS; die Datei selbst mit `git lfs pull` holen</translation>
    </message>
    <message>
        <source>a GGUF file</source>
        <translation>eine GGUF-Datei</translation>
    </message>
    <message>
        <source>an HDF5 file</source>
        <translation>eine HDF5-Datei</translation>
    </message>
    <message>
        <source>a JSON file</source>
        <translation>eine JSON-Datei</translation>
    </message>
    <message>
        <source>ends within its header: its download or copy was cut short</source>
        <translation>endet im Kopf: Download oder Kopie wurde abgebrochen</translation>
    </message>
    <message>
        <source>its header is not valid JSON (at byte %1)</source>
        <translation>der Kopf ist kein gültiges JSON (bei Byte %1)</translation>
    </message>
    <message>
        <source>its header is not a JSON object</source>
        <translation>der Kopf ist kein JSON-Objekt</translation>
    </message>
    <message>
        <source>tensor %1 reaches past the end of the file: its download or copy was cut short</source>
        <translation>Tensor %1 reicht über das Ende der Datei hinaus: Download oder Kopie wurde abgebrochen</translation>
    </message>
    <message>
        <source>tensor %1 overlaps the one before it</source>
        <translation>Tensor %1 überschneidet den vorigen</translation>
    </message>
    <message>
        <source>tensor %1 has a gap before it</source>
        <translation>vor Tensor %1 ist eine Lücke</translation>
    </message>
    <message>
        <source>has %1 bytes after its last tensor</source>
        <translation>hat %1 Bytes nach dem letzten Tensor</translation>
    </message>
    <message>
        <source>has two tensors named %1</source>
        <translation>hat zwei Tensoren namens %1</translation>
    </message>
    <message>
        <source>has %1 bytes; at most %2 are allowed</source>
        <translation>hat %1 Bytes; höchstens %2 sind erlaubt</translation>
    </message>
    <message>
        <source>holds no adapter (looked for %1)</source>
        <translation>enthält keinen Adapter (gesucht: %1)</translation>
    </message>
    <message>
        <source>is not a regular file but a folder</source>
        <translation>ist keine Datei, sondern ein Ordner</translation>
    </message>
    <message>
        <source>is not a regular file but a pipe, a socket or a device</source>
        <translation>ist keine gewöhnliche Datei, sondern eine Pipe, ein Socket oder ein Gerät</translation>
    </message>
    <message>
        <source>is a symbolic link, which is not followed here or leads back to itself</source>
        <translation>ist ein symbolischer Verweis, dem hier nicht gefolgt wird oder der auf sich selbst führt</translation>
    </message>
    <message>
        <source>none of the model&apos;s linear layers matches</source>
        <translation>keine der linearen Schichten des Modells passt</translation>
    </message>
    <message>
        <source>target modules %1: %2</source>
        <translation>Zielmodule %1: %2</translation>
    </message>
    <message>
        <source>all layers that they select are excluded by %1</source>
        <translation>alle ausgewählten Schichten schließt %1 aus</translation>
    </message>
    <message>
        <source>none of the model&apos;s linear layers matches; one of them is %1</source>
        <translation>keine der linearen Schichten des Modells passt; eine davon ist %1</translation>
    </message>
    <message>
        <source>%1, line %2: %3</source>
        <translation>%1, Zeile %2: %3</translation>
    </message>
    <message>
        <source>%1: names %2, which does not exist</source>
        <translation>%1: nennt %2, was es nicht gibt</translation>
    </message>
    <message>
        <source>%1 more lines are malformed</source>
        <translation>%1 weitere Zeilen sind fehlerhaft</translation>
    </message>
    <message>
        <source>is not a JSON object with a file_name, of at most %1 bytes</source>
        <translation>ist kein JSON-Objekt mit einem file_name, von höchstens %1 Bytes</translation>
    </message>
    <message>
        <source>the caption has more than %1 bytes</source>
        <translation>der Bildtext hat mehr als %1 Bytes</translation>
    </message>
    <message>
        <source>has a NUL character, so it is not text (UTF-16 is not read: save it as UTF-8)</source>
        <translation>hat ein NUL-Zeichen, ist also kein Text (UTF-16 wird nicht gelesen: als UTF-8 speichern)</translation>
    </message>
    <message>
        <source>is not a folder</source>
        <translation>ist kein Ordner</translation>
    </message>
    <message>
        <source>is empty</source>
        <translation>ist leer</translation>
    </message>
    <message>
        <source>is not a PNG, JPEG or WebP file</source>
        <translation>ist keine PNG-, JPEG- oder WebP-Datei</translation>
    </message>
    <message>
        <source>is a damaged JPEG (%1)</source>
        <translation>ist ein beschädigtes JPEG (%1)</translation>
    </message>
    <message>
        <source>it ends before its image</source>
        <translation>es endet vor dem Bild</translation>
    </message>
    <message>
        <source>is a damaged PNG (%1)</source>
        <translation>ist ein beschädigtes PNG (%1)</translation>
    </message>
    <message>
        <source>is a damaged WebP</source>
        <translation>ist ein beschädigtes WebP</translation>
    </message>
    <message>
        <source>is an animation; only still images are supported</source>
        <translation>ist eine Animation; nur stehende Bilder werden unterstützt</translation>
    </message>
    <message>
        <source>has %1 pixels; at most %2 pixels are supported</source>
        <translation>hat %1 Pixel; höchstens %2 Pixel werden unterstützt</translation>
    </message>
    <message>
        <source>differs in size from its image</source>
        <translation>hat eine andere Größe als das Bild</translation>
    </message>
    <message>
        <source>cannot be decoded</source>
        <translation>kann nicht dekodiert werden</translation>
    </message>
    <message>
        <source>%1 or its mask: cannot be decoded</source>
        <translation>%1 oder seine Maske: kann nicht dekodiert werden</translation>
    </message>
    <message>
        <source>could not be read when the images were scanned</source>
        <translation>konnte beim Durchsehen der Bilder nicht gelesen werden</translation>
    </message>
    <message>
        <source>has no images any more</source>
        <translation>hat keine Bilder mehr</translation>
    </message>
    <message>
        <source>has no images (PNG, JPEG or WebP)</source>
        <translation>hat keine Bilder (PNG, JPEG oder WebP)</translation>
    </message>
    <message>
        <source>has only %1 of %2 frames</source>
        <translation>hat nur %1 von %2 Einzelbildern</translation>
    </message>
    <message>
        <source>ends after only %1 of %2 frames</source>
        <translation>endet schon nach %1 von %2 Einzelbildern</translation>
    </message>
    <message>
        <source>is not a video that FFmpeg can open</source>
        <translation>ist kein Video, das FFmpeg öffnen kann</translation>
    </message>
    <message>
        <source>has no video stream</source>
        <translation>hat keine Videospur</translation>
    </message>
    <message>
        <source>has no frames</source>
        <translation>hat keine Einzelbilder</translation>
    </message>
    <message>
        <source>has empty frames, or frames of more than 33 million pixels</source>
        <translation>hat leere Einzelbilder oder welche von mehr als 33 Millionen Pixeln</translation>
    </message>
    <message>
        <source>has streams that cannot be read</source>
        <translation>hat Spuren, die nicht gelesen werden können</translation>
    </message>
    <message>
        <source>has an unsupported pixel format</source>
        <translation>hat ein Pixelformat, das nicht unterstützt wird</translation>
    </message>
    <message>
        <source>has a frame that cannot be converted</source>
        <translation>hat ein Einzelbild, das nicht umgewandelt werden kann</translation>
    </message>
    <message>
        <source>has too many frames per second</source>
        <translation>hat zu viele Einzelbilder je Sekunde</translation>
    </message>
    <message>
        <source>needs more memory than is available</source>
        <translation>braucht mehr Speicher, als da ist</translation>
    </message>
    <message>
        <source>uses a codec that this FFmpeg does not support</source>
        <translation>verwendet einen Codec, den dieses FFmpeg nicht unterstützt</translation>
    </message>
    <message>
        <source>has unsupported codec parameters</source>
        <translation>hat Codec-Parameter, die nicht unterstützt werden</translation>
    </message>
    <message>
        <source>is not a list of training data</source>
        <translation>ist keine Liste von Trainingsdaten</translation>
    </message>
    <message>
        <source>was written by a later version of Atelier</source>
        <translation>wurde von einer späteren Version von Atelier geschrieben</translation>
    </message>
    <message>
        <source>the ranks of run %1 run on %2 without a supervisor; end them there, or by the program that started them</source>
        <translation>die Ranks von Lauf %1 laufen auf %2 ohne Supervisor; dort beenden, oder mit dem Programm, das sie gestartet hat</translation>
    </message>
    <message>
        <source>%1 could not be started: the system has no free process or memory</source>
        <translation>%1 konnte nicht gestartet werden: das System hat keinen Prozess oder Speicher frei</translation>
    </message>
    <message>
        <source>%1 ended at once; see its log %2</source>
        <translation>%1 endete sofort; siehe das Log %2</translation>
    </message>
    <message>
        <source>%1 did not start within 30 s; see its log %2</source>
        <translation>%1 startete nicht innerhalb von 30 s; siehe das Log %2</translation>
    </message>
    <message>
        <source>%1 ended at once: %2</source>
        <translation>%1 endete sofort: %2</translation>
    </message>
    <message>
        <source>%1 did not start within 30 s: %2</source>
        <translation>%1 startete nicht innerhalb von 30 s: %2</translation>
    </message>
    <message>
        <source>Slurm&apos;s %1 has not answered in time; does the controller of the cluster run?</source>
        <translation>%1 von Slurm hat nicht rechtzeitig geantwortet; läuft der Controller des Clusters?</translation>
    </message>
    <message>
        <source>%1 is not installed on this machine: use one from which jobs are submitted to Slurm</source>
        <translation>%1 ist auf diesem Rechner nicht installiert: einen verwenden, von dem Jobs an Slurm gehen</translation>
    </message>
    <message>
        <source>run %1 is in Slurm, as job %2; stop the run first</source>
        <translation>Lauf %1 ist in Slurm, als Job %2; zuerst den Lauf stoppen</translation>
    </message>
    <message>
        <source>run %1 has no job in Slurm that waits or runs</source>
        <translation>Lauf %1 hat in Slurm keinen Job, der wartet oder läuft</translation>
    </message>
    <message>
        <source>attempt %1 of run %2 was started or replaced meanwhile</source>
        <translation>Versuch %1 von Lauf %2 wurde inzwischen gestartet oder ersetzt</translation>
    </message>
    <message>
        <source>the queue in %1 cannot be parsed; move the file away: the runs in it stay prepared, and `atelier queue add RUN` queues them again</source>
        <translation>die Warteschlange in %1 ist nicht lesbar; die Datei wegbewegen: die Läufe darin bleiben vorbereitet, und `atelier queue add RUN` stellt sie wieder an</translation>
    </message>
    <message>
        <source>%1 is of another model: it was written with %2, but the experiment has %3; change it back or start a new run</source>
        <translation>%1 ist von einem anderen Modell: geschrieben mit %2, aber das Experiment hat %3; zurück ändern oder einen neuen Lauf starten</translation>
    </message>
    <message>
        <source>by a trial</source>
        <translation>nach einer Probe</translation>
    </message>
    <message>
        <source>as run %1</source>
        <translation>wie Lauf %1</translation>
    </message>
    <message>
        <source>as run %1, which had other settings</source>
        <translation>wie Lauf %1, der andere Einstellungen hatte</translation>
    </message>
    <message>
        <source>by its steps so far</source>
        <translation>nach den bisherigen Schritten</translation>
    </message>
    <message>
        <source>unknown: no trial, and no earlier run of this name has made steps</source>
        <translation>unbekannt: keine Probe, und kein früherer Lauf dieses Namens hat Schritte gemacht</translation>
    </message>
    <message>
        <source>unknown: its files cannot be read</source>
        <translation>unbekannt: die Dateien sind nicht lesbar</translation>
    </message>
    <message>
        <source>unknown: it waits in Slurm</source>
        <translation>unbekannt: er wartet in Slurm</translation>
    </message>
    <message>
        <source>%1 became shorter while it was packed; pack the run again</source>
        <translation>%1 wurde beim Packen kürzer; den Lauf noch einmal packen</translation>
    </message>
    <message>
        <source>%1 was left out: it is neither a file nor a folder, or its name is odd</source>
        <translation>%1 wurde ausgelassen: weder eine Datei noch ein Ordner, oder der Name ist seltsam</translation>
    </message>
    <message>
        <source>run %1 was started while it was packed; stop it and pack it again</source>
        <translation>Lauf %1 wurde beim Packen gestartet; stoppen und noch einmal packen</translation>
    </message>
    <message>
        <source>the archive has no %1 at its end: it is not a packed run, or was cut off</source>
        <translation>das Archiv hat am Ende kein %1: kein gepackter Lauf, oder abgeschnitten</translation>
    </message>
    <message>
        <source>it has no attempts/1/start.json</source>
        <translation>attempts/1/start.json fehlt</translation>
    </message>
    <message>
        <source>the archive has files behind %1: it is not a packed run</source>
        <translation>das Archiv hat Dateien nach %1: kein gepackter Lauf</translation>
    </message>
    <message>
        <source>the archive has the path %1, which is not in the folder of its run</source>
        <translation>das Archiv hat den Pfad %1, der nicht im Ordner seines Laufs liegt</translation>
    </message>
    <message>
        <source>%1 is not a run&apos;s id</source>
        <translation>%1 ist keine ID eines Laufs</translation>
    </message>
    <message>
        <source>%1 is too large</source>
        <translation>%1 ist zu groß</translation>
    </message>
    <message>
        <source>the archive has %1 twice</source>
        <translation>das Archiv hat %1 doppelt</translation>
    </message>
    <message>
        <source>it lacks %1</source>
        <translation>%1 fehlt</translation>
    </message>
    <message>
        <source>%1 does not have its checksum</source>
        <translation>%1 hat eine andere Prüfsumme</translation>
    </message>
    <message>
        <source>it has files without a checksum</source>
        <translation>Dateien darin haben keine Prüfsumme</translation>
    </message>
    <message>
        <source>an extended header is malformed</source>
        <translation>ein erweiterter Kopf ist fehlerhaft</translation>
    </message>
    <message>
        <source>an extended header is too long</source>
        <translation>ein erweiterter Kopf ist zu lang</translation>
    </message>
    <message>
        <source>a header does not have its checksum</source>
        <translation>ein Kopf hat eine andere Prüfsumme</translation>
    </message>
    <message>
        <source>the archive ends too early: it was not copied or written to its end</source>
        <translation>das Archiv endet zu früh: nicht bis zum Ende kopiert oder geschrieben</translation>
    </message>
    <message>
        <source>the archive is not a tar archive</source>
        <translation>das Archiv ist kein tar-Archiv</translation>
    </message>
    <message>
        <source>the archive has %1, which is neither a file nor a folder</source>
        <translation>das Archiv hat %1, was weder Datei noch Ordner ist</translation>
    </message>
    <message>
        <source>%1, attempt %2</source>
        <translation>%1, Versuch %2</translation>
    </message>
    <message>
        <source>First: rank %1</source>
        <translation>Zuerst: Rank %1</translation>
    </message>
    <message>
        <source>Nobody saw how it ended</source>
        <translation>Niemand hat das Ende gesehen</translation>
    </message>
    <message>
        <source>nobody saw how it ended</source>
        <translation>niemand hat das Ende gesehen</translation>
    </message>
    <message>
        <source>still ran; ended with the others</source>
        <translation>lief noch; mit den anderen beendet</translation>
    </message>
    <message>
        <source>wrote nothing</source>
        <translation>hat nichts geschrieben</translation>
    </message>
    <message>
        <source>step %1, last record %2</source>
        <translation>Schritt %1, letzter Eintrag %2</translation>
    </message>
    <message>
        <source>step %1, last record %2, %3</source>
        <translation>Schritt %1, letzter Eintrag %2, %3</translation>
    </message>
    <message>
        <source>ended %1</source>
        <translation>beendet %1</translation>
    </message>
    <message>
        <source>memory at its last step: %1</source>
        <translation>Speicher beim letzten Schritt: %1</translation>
    </message>
    <message>
        <source>in use on the machine: %1</source>
        <translation>auf dem Rechner belegt: %1</translation>
    </message>
    <message>
        <source>%1 resident</source>
        <translation>%1 resident</translation>
    </message>
    <message>
        <source>%1 allocated</source>
        <translation>%1 belegt</translation>
    </message>
    <message>
        <source>%1 reserved on the GPU</source>
        <translation>%1 auf der GPU reserviert</translation>
    </message>
    <message>
        <source>%1 at the most</source>
        <translation>%1 höchstens</translation>
    </message>
    <message>
        <source>%1 in use on the GPU</source>
        <translation>%1 auf der GPU in Gebrauch</translation>
    </message>
    <message>
        <source>The other ranks</source>
        <translation>Die anderen Ranks</translation>
    </message>
    <message>
        <source>Rank %1: %2</source>
        <translation>Rank %1: %2</translation>
    </message>
    <message>
        <source>The last lines of %1</source>
        <translation>Die letzten Zeilen von %1</translation>
    </message>
    <message>
        <source>%1 cannot be read: grant yourself read permission</source>
        <translation>%1 kann nicht gelesen werden: sich das Leserecht geben</translation>
    </message>
    <message>
        <source>%1 cannot be rebuilt: %2</source>
        <translation>%1 kann nicht neu aufgebaut werden: %2</translation>
    </message>
    <message>
        <source>%1: has more than %2 metrics; those beyond are left out</source>
        <translation>%1: hat mehr als %2 Metriken; die übrigen sind ausgelassen</translation>
    </message>
    <message>
        <source>%1; the curves that were read from it before are kept</source>
        <translation>%1; was vorher daraus gelesen wurde, bleibt</translation>
    </message>
    <message>
        <source>%1: is being written; import it again in a moment</source>
        <translation>%1: wird gerade geschrieben; gleich noch einmal importieren</translation>
    </message>
    <message>
        <source>is not the log of a Weights &amp; Biases run</source>
        <translation>ist nicht das Log eines Laufs von Weights &amp; Biases</translation>
    </message>
    <message>
        <source>holds no event that can be read</source>
        <translation>enthält kein lesbares Ereignis</translation>
    </message>
    <message>
        <source>is not a trackio database</source>
        <translation>ist keine Datenbank von trackio</translation>
    </message>
    <message>
        <source>cannot be read as a database (%1)</source>
        <translation>kann nicht als Datenbank gelesen werden (%1)</translation>
    </message>
    <message>
        <source>ends within a record, as while it is being written; what comes before was read</source>
        <translation>endet in einem Eintrag, als würde noch geschrieben; was davor kommt, wurde gelesen</translation>
    </message>
    <message>
        <source>is damaged from byte %1 on; what comes before was read</source>
        <translation>ist ab Byte %1 beschädigt; was davor kommt, wurde gelesen</translation>
    </message>
    <message>
        <source>a string</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <source>a whole number from 1 to 2147483647</source>
        <translation>eine ganze Zahl von 1 bis 2147483647</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>ein Objekt</translation>
    </message>
    <message>
        <source>a list of whole numbers</source>
        <translation>eine Liste ganzer Zahlen</translation>
    </message>
    <message>
        <source>a list of numbers</source>
        <translation>eine Liste von Zahlen</translation>
    </message>
    <message>
        <source>a list of strings</source>
        <translation>eine Liste von Texten</translation>
    </message>
    <message>
        <source>not valid JSON (at byte %1)</source>
        <translation>kein gültiges JSON (bei Byte %1)</translation>
    </message>
    <message>
        <source>%1 must be a string</source>
        <translation>%1 muss Text sein</translation>
    </message>
    <message>
        <source>%1 must be a whole number</source>
        <translation>%1 muss eine ganze Zahl sein</translation>
    </message>
    <message>
        <source>%1 must be a whole number from 1 to 2147483647</source>
        <translation>%1 muss eine ganze Zahl von 1 bis 2147483647 sein</translation>
    </message>
    <message>
        <source>%1 must be a number</source>
        <translation>%1 muss eine Zahl sein</translation>
    </message>
    <message>
        <source>%1 must be true or false</source>
        <translation>%1 muss true oder false sein</translation>
    </message>
    <message>
        <source>%1 must be an object</source>
        <translation>%1 muss ein Objekt sein</translation>
    </message>
    <message>
        <source>%1 must be a list of whole numbers</source>
        <translation>%1 muss eine Liste ganzer Zahlen sein</translation>
    </message>
    <message>
        <source>%1 must be a list of numbers</source>
        <translation>%1 muss eine Liste von Zahlen sein</translation>
    </message>
    <message>
        <source>%1 must be a list of strings</source>
        <translation>%1 muss eine Liste von Texten sein</translation>
    </message>
    <message>
        <source>what encoding new data takes beyond training, before it</source>
        <translation>was das Kodieren neuer Daten vor dem Training über dieses hinaus braucht</translation>
    </message>
    <message>
        <source>its process computes</source>
        <translation>sein Prozess rechnet</translation>
    </message>
    <message>
        <source>its process waits for a disk or a device</source>
        <translation>sein Prozess wartet auf eine Festplatte oder ein Gerät</translation>
    </message>
    <message>
        <source>its process has been stopped; `kill -CONT %1` lets it go on</source>
        <translation>sein Prozess ist angehalten worden; `kill -CONT %1` lässt ihn weiterlaufen</translation>
    </message>
    <message>
        <source>its process has ended</source>
        <translation>sein Prozess ist zu Ende</translation>
    </message>
    <message>
        <source>its process sleeps: it waits</source>
        <translation>sein Prozess schläft: Er wartet</translation>
    </message>
    <message>
        <source>nothing is known here of its process</source>
        <translation>über seinen Prozess ist hier nichts bekannt</translation>
    </message>
    <message>
        <source>is neither an event file of TensorBoard, nor the log (.wandb) of a Weights &amp; Biases run, nor a trackio database (.db), nor a table (.csv, .tsv, .json, .jsonl)</source>
        <translation>ist weder eine Ereignisdatei von TensorBoard noch das Log (.wandb) eines Laufs von Weights &amp; Biases noch eine Datenbank von trackio (.db) noch eine Tabelle (.csv, .tsv, .json, .jsonl)</translation>
    </message>
    <message>
        <source>%1: line %2, column %3: %4</source>
        <translation>%1: Zeile %2, Spalte %3: %4</translation>
    </message>
    <message>
        <source>%1: line %2: has %3 cells, where the first line has %4</source>
        <translation>%1: Zeile %2: hat %3 Zellen, die erste Zeile aber %4</translation>
    </message>
    <message>
        <source>%1: line %2: has more than %3 cells</source>
        <translation>%1: Zeile %2: hat mehr als %3 Zellen</translation>
    </message>
    <message>
        <source>%1: line %2: is longer than 16 MiB</source>
        <translation>%1: Zeile %2: ist länger als 16 MiB</translation>
    </message>
    <message>
        <source>holds no values</source>
        <translation>enthält keine Werte</translation>
    </message>
    <message>
        <source>holds no steps; name the column or value that has them step, global_step, iteration or epoch</source>
        <translation>enthält keine Schritte; die Spalte oder der Wert mit ihnen muss step, global_step, iteration oder epoch heißen</translation>
    </message>
    <message>
        <source>%1 is no step, which is a whole number</source>
        <translation>%1 ist kein Schritt, also keine ganze Zahl</translation>
    </message>
    <message>
        <source>the steps go back for the thousandth time; sort the rows by step</source>
        <translation>die Schritte springen zum tausendsten Mal zurück; die Zeilen nach Schritten sortieren</translation>
    </message>
    <message>
        <source>holds a NUL byte; the file is damaged</source>
        <translation>enthält ein NUL-Byte; die Datei ist beschädigt</translation>
    </message>
    <message>
        <source>is not UTF-8; save the file as UTF-8</source>
        <translation>ist kein UTF-8; die Datei als UTF-8 speichern</translation>
    </message>
    <message>
        <source>the name is not UTF-8; save the file as UTF-8</source>
        <translation>der Name ist kein UTF-8; die Datei als UTF-8 speichern</translation>
    </message>
    <message>
        <source>has the name of column %1, too; rename one of them</source>
        <translation>heißt wie Spalte %1; eine von beiden umbenennen</translation>
    </message>
    <message>
        <source>%1 is there twice in an object</source>
        <translation>%1 steht zweimal in einem Objekt</translation>
    </message>
    <message>
        <source>a quotation mark is not closed</source>
        <translation>ein Anführungszeichen ist nicht geschlossen</translation>
    </message>
    <message>
        <source>is one metric more than a run may have</source>
        <translation>ist eine Metrik mehr, als ein Lauf haben darf</translation>
    </message>
    <message>
        <source>is no object</source>
        <translation>ist kein Objekt</translation>
    </message>
    <message>
        <source>is not JSON</source>
        <translation>ist kein JSON</translation>
    </message>
    <message>
        <source>the file ends too early</source>
        <translation>die Datei endet zu früh</translation>
    </message>
    <message>
        <source>is not as Atelier exports it</source>
        <translation>ist nicht so, wie Atelier es exportiert</translation>
    </message>
    <message>
        <source>what is superseded there does not fit its attempts; the file was changed after the export</source>
        <translation>was dort als überholt gilt, passt nicht zu den Versuchen; die Datei wurde nach dem Export geändert</translation>
    </message>
    <message>
        <source>%1: 1 row without a step was left out</source>
        <translation>%1: 1 Zeile ohne Schritt wurde ausgelassen</translation>
    </message>
    <message>
        <source>%1: %2 rows without a step were left out</source>
        <translation>%1: %2 Zeilen ohne Schritt wurden ausgelassen</translation>
    </message>
    <message>
        <source>%1 GB are free where the run is kept; checkpoints may soon not fit</source>
        <translation>%1 GB sind dort frei, wo der Lauf liegt; Checkpoints passen bald vielleicht nicht mehr</translation>
    </message>
    <message>
        <source>run %1 has started, so its experiment stays as it is; the changes can be queued as a new run</source>
        <translation>Lauf %1 hat begonnen, daher bleibt sein Experiment, wie es ist; die Änderungen lassen sich als neuer Lauf einreihen</translation>
    </message>
    <message>
        <source>run %1 was changed in the queue meanwhile, by another window or command; begin the edit again</source>
        <translation>Lauf %1 wurde inzwischen in der Warteschlange geändert, von einem anderen Fenster oder Befehl; die Bearbeitung neu beginnen</translation>
    </message>
    <message>
        <source>run %1 has no checkpoint from which its last attempt could go on, only those of abandoned attempts, at step %2; choose one of them to resume from</source>
        <translation>Lauf %1 hat keinen Checkpoint, von dem sein letzter Versuch weitergehen könnte, nur solche aufgegebener Versuche, bei Schritt %2; wähle einen davon zum Fortsetzen</translation>
    </message>
    <message>
        <source>LibTorch, with which Atelier trains, is not installed; run `sudo atelier-setup`, or `app/setup` in a checkout</source>
        <translation>LibTorch, womit Atelier trainiert, ist nicht installiert; `sudo atelier-setup` aufrufen, in einem Checkout `app/setup`</translation>
    </message>
    <message>
        <source>the worker program %1 lacks the library %2; install it, or Atelier again</source>
        <translation>dem Worker-Programm %1 fehlt die Bibliothek %2; sie installieren oder Atelier neu installieren</translation>
    </message>
    <message>
        <source>%1; when that is mended, release the run in the queue (`atelier queue release %2`)</source>
        <translation>%1; wenn das behoben ist, den Lauf in der Warteschlange freigeben (`atelier queue release %2`)</translation>
    </message>
    <message>
        <source>%1, which launch.gpus names, is not among the GPUs that this machine can use now (`atelier doctor` shows them)</source>
        <translation>%1, von launch.gpus genannt, gehört nicht zu den GPUs, die dieser Rechner jetzt benutzen kann (`atelier doctor` zeigt sie)</translation>
    </message>
    <message>
        <source>it waits for 1 GPU, and this machine can use %1 now (`atelier doctor` shows them)</source>
        <translation>er wartet auf 1 GPU, und dieser Rechner kann jetzt %1 benutzen (`atelier doctor` zeigt sie)</translation>
    </message>
    <message>
        <source>it waits for %1 GPUs, and this machine can use %2 now (`atelier doctor` shows them)</source>
        <translation>er wartet auf %1 GPUs, und dieser Rechner kann jetzt %2 benutzen (`atelier doctor` zeigt sie)</translation>
    </message>
    <message>
        <source>the run has failed: %1; the runs that wait are held until you release them in the queue (`atelier queue release`)</source>
        <translation>der Lauf ist fehlgeschlagen: %1; die wartenden Läufe sind angehalten, bis sie in der Warteschlange freigegeben werden (`atelier queue release`)</translation>
    </message>
    <message>
        <source>the run has failed; the runs that wait are held until you release them in the queue (`atelier queue release`)</source>
        <translation>der Lauf ist fehlgeschlagen; die wartenden Läufe sind angehalten, bis sie in der Warteschlange freigegeben werden (`atelier queue release`)</translation>
    </message>
    <message>
        <source>the run was interrupted: %1; the runs that wait are held until you release them in the queue (`atelier queue release`)</source>
        <translation>der Lauf wurde unterbrochen: %1; die wartenden Läufe sind angehalten, bis sie in der Warteschlange freigegeben werden (`atelier queue release`)</translation>
    </message>
    <message>
        <source>Teacher</source>
        <translation>Lehrer</translation>
    </message>
    <message>
        <source>%1 has no images (PNG, JPEG or WebP) and no videos</source>
        <translation>%1 enthält keine Bilder (PNG, JPEG oder WebP) und keine Videos</translation>
    </message>
    <message>
        <source>%1 has no images (PNG, JPEG or WebP) and no videos; files such as %2 have to be saved in one of these formats</source>
        <translation>%1 enthält keine Bilder (PNG, JPEG oder WebP) und keine Videos; Dateien wie %2 müssen in einem dieser Formate gespeichert werden</translation>
    </message>
    <message>
        <source>is not UTF-8 text (an older encoding such as Latin-1 is not read: save it as UTF-8)</source>
        <translation>ist kein UTF-8-Text (ältere Kodierungen wie Latin-1 werden nicht gelesen: als UTF-8 speichern)</translation>
    </message>
    <message>
        <source>is of a format that is not read; save it as PNG, JPEG or WebP</source>
        <translation>hat ein Format, das nicht gelesen wird; als PNG, JPEG oder WebP speichern</translation>
    </message>
    <message>
        <source>%1 of %2 have no caption: `atelier data list %3 --kind no-caption` names them</source>
        <translation>%1 von %2 haben keinen Bildtext: `atelier data list %3 --kind no-caption` nennt sie</translation>
    </message>
    <message>
        <source>%1 of %2 are smaller than in training, and are enlarged: `atelier data list %3 --kind enlarged` names them</source>
        <translation>%1 von %2 sind kleiner als im Training und werden vergrößert: `atelier data list %3 --kind enlarged` nennt sie</translation>
    </message>
    <message>
        <source>%1: it marks the content as damaged</source>
        <translation>%1: der Inhalt ist damit als beschädigt vermerkt</translation>
    </message>
    <message>
        <source>tries again to write the last checkpoint</source>
        <translation>versucht noch einmal, den letzten Checkpoint zu schreiben</translation>
    </message>
    <message>
        <source>the checkpoint of step %1, the last one, could not be written: %2</source>
        <translation>der Checkpoint von Schritt %1, der letzte, ließ sich nicht schreiben: %2</translation>
    </message>
    <message>
        <source>draws samples</source>
        <translation>zeichnet Samples</translation>
    </message>
    <message>
        <source>measures the validation loss</source>
        <translation>misst den Validierungsverlust</translation>
    </message>
    <message>
        <source>judges the model before training</source>
        <translation>beurteilt das Modell vor dem Training</translation>
    </message>
    <message>
        <source>judges the trained model</source>
        <translation>beurteilt das trainierte Modell</translation>
    </message>
    <message>
        <source>waits for a checkpoint to be written</source>
        <translation>wartet darauf, dass ein Checkpoint geschrieben ist</translation>
    </message>
    <message>
        <source>%1 of the %2 samples of step %3 came out as NaN or infinite and were not written</source>
        <translation>%1 der %2 Samples von Schritt %3 waren NaN oder unendlich und wurden nicht geschrieben</translation>
    </message>
    <message>
        <source>holds fewer values than were imported of it before as %1 (%2 of %3), so nothing was changed; to import what is left, move that run to the trash first</source>
        <translation>enthält weniger Werte, als daraus früher als %1 importiert wurden (%2 von %3), deshalb wurde nichts geändert; um zu importieren, was übrig ist, erst diesen Lauf in den Papierkorb verschieben</translation>
    </message>
    <message>
        <source>%1: is a folder, not a file of prompts</source>
        <translation>%1: ist ein Ordner, keine Datei mit Prompts</translation>
    </message>
    <message>
        <source>%1: dpo trains on a pair of samples of each prompt, %2 samples in all, of which %3 data-parallel ranks and %4 updates take equally many passes; set it to an even number that, times both, divides the samples</source>
        <translation>%1: dpo trainiert mit einem Paar von Samples je Prompt, zusammen %2 Samples, von denen %3 datenparallele Ranks und %4 Aktualisierungen gleich viele Durchgänge nehmen; auf eine gerade Zahl setzen, die, mal beide genommen, die Samples teilt</translation>
    </message>
    <message>
        <source>%1: has no prompts; write one on each line</source>
        <translation>%1: enthält keine Prompts; in jede Zeile einen schreiben</translation>
    </message>
    <message>
        <source>%1: is a JSON list; write one object on each line</source>
        <translation>%1: ist eine JSON-Liste; in jede Zeile ein Objekt schreiben</translation>
    </message>
    <message>
        <source>is not a JSON object, as in %1</source>
        <translation>ist kein JSON-Objekt, wie in %1</translation>
    </message>
    <message>
        <source>has no text named &quot;prompt&quot;</source>
        <translation>hat keinen Text namens &quot;prompt&quot;</translation>
    </message>
    <message>
        <source>has an empty prompt</source>
        <translation>hat einen leeren Prompt</translation>
    </message>
    <message>
        <source>has a prompt of more than %1 bytes</source>
        <translation>hat einen Prompt von mehr als %1 Bytes</translation>
    </message>
    <message>
        <source>is not UTF-8: save the file as UTF-8</source>
        <translation>ist kein UTF-8: die Datei als UTF-8 speichern</translation>
    </message>
    <message>
        <source>Rank %1 %2 after step %3; its log is %4</source>
        <translation>Rank %1 %2 nach Schritt %3; sein Log ist %4</translation>
    </message>
    <message>
        <source>Rank %1 %2 after step %3: %4</source>
        <translation>Rank %1 %2 nach Schritt %3: %4</translation>
    </message>
    <message>
        <source>Rank %1 %2 after step %3</source>
        <translation>Rank %1 %2 nach Schritt %3</translation>
    </message>
    <message>
        <source>1 of %1 steps was skipped, because the gradient norm was not finite</source>
        <translation>1 von %1 Schritten wurde ausgelassen, weil die Gradientennorm nicht endlich war</translation>
    </message>
    <message>
        <source>%1 of %2 steps were skipped, because the gradient norm was not finite</source>
        <translation>%1 von %2 Schritten wurden ausgelassen, weil die Gradientennorm nicht endlich war</translation>
    </message>
    <message>
        <source>run %1 is being started; `atelier stop %2` stops it</source>
        <translation>Lauf %1 wird gerade gestartet; `atelier stop %2` hält ihn an</translation>
    </message>
    <message>
        <source>run %1 resumes from step %2, so run.total_steps = %3 leaves it nothing to train; set it higher</source>
        <translation>Lauf %1 geht bei Schritt %2 weiter, sodass run.total_steps = %3 ihm nichts zu trainieren lässt; höher setzen</translation>
    </message>
    <message>
        <source>the notice could not be sent to %1: the connection was refused</source>
        <translation>die Meldung konnte nicht an %1 gesendet werden: Die Verbindung wurde abgelehnt</translation>
    </message>
    <message>
        <source>the notice could not be sent to %1: there is no such host</source>
        <translation>die Meldung konnte nicht an %1 gesendet werden: Es gibt keinen solchen Rechner</translation>
    </message>
    <message>
        <source>%1: line %2: has 1 cell, where the first line has %3</source>
        <translation>%1: Zeile %2: hat 1 Zelle, die erste Zeile aber %3</translation>
    </message>
    <message>
        <source>names no metric</source>
        <translation>nennt keine Metrik</translation>
    </message>
    <message>
        <source>run %1 waits in the queue; `atelier queue start` starts it now, `atelier queue remove` takes it out</source>
        <translation>Lauf %1 wartet in der Warteschlange; `atelier queue start` startet ihn jetzt, `atelier queue remove` nimmt ihn heraus</translation>
    </message>
    <message>
        <source>encoded data, kept after it is first read</source>
        <translation>kodierte Daten, die nach dem ersten Lesen im Speicher bleiben</translation>
    </message>
</context>
<context>
    <name>ui::ActionRegistry</name>
    <message>
        <source>Main window</source>
        <translation>Hauptfenster</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
</context>
<context>
    <name>ui::AlertsButton</name>
    <message>
        <source>Alerts, none unread</source>
        <translation>Meldungen, keine ungelesen</translation>
    </message>
    <message>
        <source>Alerts, 1 unread</source>
        <translation>Meldungen, 1 ungelesen</translation>
    </message>
    <message numerus="yes">
        <source>Alerts, %Ln unread</source>
        <translation>
            <numerusform>Meldungen, %Ln ungelesen</numerusform>
            <numerusform>Meldungen, %Ln ungelesen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::AlertsDialog</name>
    <message>
        <source>Alerts</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>&amp;Show</source>
        <translation>&amp;Zeigen</translation>
    </message>
    <message>
        <source>Open the run, and pin the step in the plots</source>
        <translation>Öffnet den Lauf und pinnt den Schritt in den Diagrammen an</translation>
    </message>
    <message>
        <source>&amp;Mark all as read</source>
        <translation>&amp;Alle als gelesen markieren</translation>
    </message>
    <message>
        <source>Nothing has happened yet: no run has ended, failed or hung, and no rule has fired.</source>
        <translation>Noch ist nichts geschehen: Kein Lauf ist zu Ende, fehlgeschlagen oder hängt, und keine Regel hat ausgelöst.</translation>
    </message>
    <message>
        <source>Only the newest %1 alerts are shown.</source>
        <translation>Nur die neuesten %1 Meldungen werden gezeigt.</translation>
    </message>
</context>
<context>
    <name>ui::AlertsModel</name>
    <message>
        <source>%1, unread</source>
        <translation>%1, ungelesen</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Unterbrochen</translation>
    </message>
    <message>
        <source>Failed, starts again</source>
        <translation>Fehlgeschlagen, startet neu</translation>
    </message>
    <message>
        <source>Hangs</source>
        <translation>Hängt</translation>
    </message>
    <message>
        <source>A rule has fired</source>
        <translation>Eine Regel hat ausgelöst</translation>
    </message>
    <message>
        <source>The disk is nearly full</source>
        <translation>Die Festplatte ist fast voll</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>What has happened</source>
        <translation>Was geschehen ist</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Could not be started</source>
        <translation>Konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>The queue is held</source>
        <translation>Die Warteschlange ist angehalten</translation>
    </message>
    <message>
        <source>A checkpoint was not written</source>
        <translation>Ein Checkpoint wurde nicht geschrieben</translation>
    </message>
</context>
<context>
    <name>ui::AnnotateDialog</name>
    <message numerus="yes">
        <source>%Ln runs</source>
        <translation>
            <numerusform>%Ln Lauf</numerusform>
            <numerusform>%Ln Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Project:</source>
        <translation>&amp;Projekt:</translation>
    </message>
    <message>
        <source>&amp;Tags:</source>
        <translation>&amp;Tags:</translation>
    </message>
    <message>
        <source>&amp;New tags:</source>
        <translation>&amp;Neue Tags:</translation>
    </message>
    <message>
        <source>N&amp;ote:</source>
        <translation>N&amp;otiz:</translation>
    </message>
    <message>
        <source>Different projects</source>
        <translation>Verschiedene Projekte</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>Separated by commas or spaces</source>
        <translation>Durch Kommas oder Leerzeichen getrennt</translation>
    </message>
    <message>
        <source>New tags</source>
        <translation>Neue Tags</translation>
    </message>
    <message>
        <source>Different notes; what is written here replaces them</source>
        <translation>Verschiedene Notizen; was hier steht, ersetzt sie</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
</context>
<context>
    <name>ui::AnnotationsView</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>Separated by commas or spaces</source>
        <translation>Durch Kommas oder Leerzeichen getrennt</translation>
    </message>
    <message>
        <source>What this run is about. Ctrl+S saves the note.</source>
        <translation>Worum es bei diesem Lauf geht. Strg+S speichert die Notiz.</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Na&amp;me:</source>
        <translation>Na&amp;me:</translation>
    </message>
    <message>
        <source>&amp;Project:</source>
        <translation>&amp;Projekt:</translation>
    </message>
    <message>
        <source>&amp;Tags:</source>
        <translation>&amp;Tags:</translation>
    </message>
    <message>
        <source>N&amp;ote:</source>
        <translation>N&amp;otiz:</translation>
    </message>
    <message>
        <source>rename</source>
        <translation>Umbenennung</translation>
    </message>
    <message>
        <source>change of project</source>
        <translation>Projektwechsel</translation>
    </message>
    <message>
        <source>change of tags</source>
        <translation>Änderung der Tags</translation>
    </message>
    <message>
        <source>change of the note</source>
        <translation>Änderung der Notiz</translation>
    </message>
</context>
<context>
    <name>ui::ArchiveProgressBar</name>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>ui::BesideRun</name>
    <message>
        <source>Other run</source>
        <translation>Anderer Lauf</translation>
    </message>
    <message>
        <source>One run</source>
        <translation>Ein Lauf</translation>
    </message>
    <message>
        <source>Beside %1</source>
        <translation>Neben %1</translation>
    </message>
</context>
<context>
    <name>ui::ChartNumbers</name>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>steps %1</source>
        <translation>Schritte %1</translation>
    </message>
</context>
<context>
    <name>ui::ChartPanel</name>
    <message>
        <source>Numbers of %1</source>
        <translation>Zahlen von %1</translation>
    </message>
</context>
<context>
    <name>ui::CheckpointJobs</name>
    <message>
        <source>Verifying…</source>
        <translation>Wird geprüft…</translation>
    </message>
    <message>
        <source>%1 is intact.</source>
        <translation>%1 ist unversehrt.</translation>
    </message>
    <message numerus="yes">
        <source>All %n checkpoints are intact.</source>
        <translation>
            <numerusform>Der Checkpoint ist unversehrt.</numerusform>
            <numerusform>Alle %n Checkpoints sind unversehrt.</numerusform>
        </translation>
    </message>
    <message>
        <source>The verification was cancelled.</source>
        <translation>Die Prüfung wurde abgebrochen.</translation>
    </message>
    <message>
        <source>Moved to the trash of %1. Undo restores it.</source>
        <translation>In den Papierkorb von %1 verschoben. Rückgängig stellt es wieder her.</translation>
    </message>
    <message>
        <source>Verifying was cancelled.</source>
        <translation>Die Prüfung wurde abgebrochen.</translation>
    </message>
    <message>
        <source>1 checkpoint with %1 was moved to the trash. Undo restores it.</source>
        <translation>1 Checkpoint mit %1 wurde in den Papierkorb verschoben. Rückgängig stellt ihn wieder her.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln checkpoints with %1 were moved to the trash. Undo restores them.</source>
        <translation>
            <numerusform>%Ln Checkpoints mit %1 wurden in den Papierkorb verschoben. Rückgängig stellt sie wieder her.</numerusform>
            <numerusform>%Ln Checkpoints mit %1 wurden in den Papierkorb verschoben. Rückgängig stellt sie wieder her.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::CheckpointModel</name>
    <message>
        <source>latest</source>
        <translation>neuester</translation>
    </message>
    <message>
        <source>★ best</source>
        <translation>★ bester</translation>
    </message>
    <message>
        <source>⚑ pinned</source>
        <translation>⚑ angepinnt</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 Bytes</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Validation loss</source>
        <translation>Validierungs-Loss</translation>
    </message>
    <message>
        <source>Marks</source>
        <translation>Merkmale</translation>
    </message>
    <message>
        <source>former</source>
        <translation>früherer</translation>
    </message>
    <message>
        <source>damaged: %1</source>
        <translation>beschädigt: %1</translation>
    </message>
</context>
<context>
    <name>ui::Checkpoints</name>
    <message>
        <source>%1 no longer exists.</source>
        <translation>%1 gibt es nicht mehr.</translation>
    </message>
    <message>
        <source>%1 was not deleted: it is pinned. Unpin it first.</source>
        <translation>%1 wurde nicht gelöscht: Er ist angepinnt. Zuerst die Anpinnung lösen.</translation>
    </message>
    <message>
        <source>%1 was not deleted: another program is reading it.</source>
        <translation>%1 wurde nicht gelöscht: Ein anderes Programm liest ihn gerade.</translation>
    </message>
    <message>
        <source>%1 could not be moved to the trash: %2.</source>
        <translation>%1 konnte nicht in den Papierkorb verschoben werden: %2.</translation>
    </message>
    <message>
        <source>%1 could not be pinned: %2.</source>
        <translation>%1 konnte nicht angepinnt werden: %2.</translation>
    </message>
    <message>
        <source>%1 could not be unpinned: %2.</source>
        <translation>Anpinnung von %1 konnte nicht gelöst werden: %2.</translation>
    </message>
    <message>
        <source>%1 was not restored: a newer checkpoint has the same name.</source>
        <translation>%1 wurde nicht wiederhergestellt: Ein neuerer Checkpoint hat denselben Namen.</translation>
    </message>
    <message>
        <source>%1 could not be restored: %2.</source>
        <translation>%1 konnte nicht wiederhergestellt werden: %2.</translation>
    </message>
    <message>
        <source>%1 no longer exists or is being removed.</source>
        <translation>%1 gibt es nicht mehr oder wird gerade entfernt.</translation>
    </message>
    <message>
        <source>%1 was not deleted: attempt %2 waits to resume from it. Take the run out of the queue, or resume it from another checkpoint.</source>
        <translation>%1 wurde nicht gelöscht: Versuch %2 wartet darauf, von ihm aus weiterzugehen. Den Lauf aus der Warteschlange nehmen oder von einem anderen Checkpoint aus fortsetzen.</translation>
    </message>
</context>
<context>
    <name>ui::CheckpointsBar</name>
    <message>
        <source>Resume from here</source>
        <translation>Ab hier fortsetzen</translation>
    </message>
    <message>
        <source>Start a new attempt of this run from this checkpoint</source>
        <translation>Einen neuen Versuch dieses Laufs ab diesem Checkpoint starten</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Check the manifest and the files&apos; sizes and checksums</source>
        <translation>Manifest sowie Größen und Prüfsummen der Dateien prüfen</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anpinnen</translation>
    </message>
    <message>
        <source>A pinned checkpoint is never rotated or deleted</source>
        <translation>Ein angepinnter Checkpoint wird nie verdrängt oder gelöscht</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Show the checkpoint&apos;s files</source>
        <translation>Die Dateien des Checkpoints zeigen</translation>
    </message>
    <message>
        <source>Compare…</source>
        <translation>Vergleichen…</translation>
    </message>
    <message>
        <source>Show how the weights of two selected checkpoints differ</source>
        <translation>Zeigen, worin sich die Gewichte zweier ausgewählter Checkpoints unterscheiden</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Write the weights or the LoRA for diffusers, PEFT, ComfyUI and others</source>
        <translation>Gewichte oder LoRA für diffusers, PEFT, ComfyUI und andere schreiben</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Restore the deleted checkpoints</source>
        <translation>Die gelöschten Checkpoints wiederherstellen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Stop verifying</source>
        <translation>Nicht weiter prüfen</translation>
    </message>
    <message>
        <source>Select one checkpoint.</source>
        <translation>Wähle einen Checkpoint aus.</translation>
    </message>
    <message>
        <source>Select two checkpoints.</source>
        <translation>Wähle zwei Checkpoints aus.</translation>
    </message>
    <message>
        <source>Select a checkpoint.</source>
        <translation>Wähle einen Checkpoint aus.</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Move to the trash; this can be undone</source>
        <translation>In den Papierkorb verschieben; das lässt sich rückgängig machen</translation>
    </message>
    <message>
        <source>None of this run&apos;s checkpoints is in the trash.</source>
        <translation>Von diesem Lauf liegt kein Checkpoint im Papierkorb.</translation>
    </message>
    <message>
        <source>No checkpoint is being verified.</source>
        <translation>Es wird kein Checkpoint geprüft.</translation>
    </message>
</context>
<context>
    <name>ui::CheckpointsView</name>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Exported to %1.</source>
        <translation>Nach %1 exportiert.</translation>
    </message>
    <message>
        <source>No run is selected. Choose one in the list to see its checkpoints.</source>
        <translation>Kein Lauf ausgewählt. Ein Klick auf einen in der Liste zeigt seine Checkpoints.</translation>
    </message>
    <message>
        <source>No checkpoints yet. The first one appears here when it has been written.</source>
        <translation>Noch keine Checkpoints. Der erste erscheint hier, sobald er geschrieben ist.</translation>
    </message>
    <message>
        <source>This run has no checkpoints.</source>
        <translation>Dieser Lauf hat keine Checkpoints.</translation>
    </message>
    <message>
        <source>The checkpoints could not be read. %1</source>
        <translation>Die Checkpoints konnten nicht gelesen werden. %1</translation>
    </message>
    <message>
        <source>The checkpoint&apos;s files are on %1.</source>
        <translation>Die Dateien des Checkpoints sind auf %1.</translation>
    </message>
    <message>
        <source>Exported to %1 on %2.</source>
        <translation>Nach %1 auf %2 exportiert.</translation>
    </message>
    <message>
        <source>There is no connection to %1.</source>
        <translation>Es gibt keine Verbindung zu %1.</translation>
    </message>
    <message>
        <source>A checkpoint whose folder is not named by its step can only be handled on %1.</source>
        <translation>Ein Checkpoint, dessen Ordner nicht nach seinem Schritt benannt ist, lässt sich nur auf %1 bearbeiten.</translation>
    </message>
    <message>
        <source>A damaged checkpoint cannot be read.</source>
        <translation>Ein beschädigter Checkpoint kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>Another attempt has written a checkpoint of this step, from which the run is resumed.</source>
        <translation>Ein anderer Versuch hat einen Checkpoint dieses Schritts geschrieben; ab diesem wird der Lauf fortgesetzt.</translation>
    </message>
    <message>
        <source>The checkpoints of this run are read when the tab Checkpoints is open.</source>
        <translation>Die Checkpoints dieses Laufs werden gelesen, wenn der Reiter Checkpoints offen ist.</translation>
    </message>
</context>
<context>
    <name>ui::CleanUpPanel</name>
    <message>
        <source>Checkpoints that no rule keeps</source>
        <translation>Checkpoints, die keine Regel behält</translation>
    </message>
    <message>
        <source>the &amp;last</source>
        <translation>die &amp;letzten</translation>
    </message>
    <message>
        <source>Number of the last checkpoints</source>
        <translation>Anzahl der letzten Checkpoints</translation>
    </message>
    <message>
        <source>those of &amp;every</source>
        <translation>die von &amp;je</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>the &amp;best</source>
        <translation>die &amp;besten</translation>
    </message>
    <message>
        <source>Number of the best checkpoints</source>
        <translation>Anzahl der besten Checkpoints</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>lowest</source>
        <translation>niedrigster</translation>
    </message>
    <message>
        <source>highest</source>
        <translation>höchster</translation>
    </message>
    <message>
        <source>Which value is the best</source>
        <translation>Welcher Wert der beste ist</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritten</translation>
    </message>
    <message>
        <source>by</source>
        <translation>nach</translation>
    </message>
    <message>
        <source>The latest checkpoint of a run and pinned ones are always kept.</source>
        <translation>Der neueste Checkpoint eines Laufs und angepinnte bleiben immer erhalten.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Restore the checkpoints that were just moved to the trash</source>
        <translation>Die soeben in den Papierkorb verschobenen Checkpoints wiederherstellen</translation>
    </message>
    <message>
        <source>Of all runs, keep these checkpoints:</source>
        <translation>Von allen Läufen diese Checkpoints behalten:</translation>
    </message>
    <message>
        <source>Of the selected run, keep these checkpoints:</source>
        <translation>Vom ausgewählten Lauf diese Checkpoints behalten:</translation>
    </message>
    <message numerus="yes">
        <source>Of the %Ln selected runs, keep these checkpoints:</source>
        <translation>
            <numerusform>Von %Ln ausgewählten Lauf diese Checkpoints behalten:</numerusform>
            <numerusform>Von den %Ln ausgewählten Läufen diese Checkpoints behalten:</numerusform>
        </translation>
    </message>
    <message>
        <source>1 active run is left alone; it keeps its checkpoints itself.</source>
        <translation>1 aktiver Lauf bleibt unberührt; er räumt seine Checkpoints selbst auf.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln active runs are left alone; they keep their checkpoints themselves.</source>
        <translation>
            <numerusform>%Ln aktiver Lauf bleibt unberührt; er räumt seine Checkpoints selbst auf.</numerusform>
            <numerusform>%Ln aktive Läufe bleiben unberührt; sie räumen ihre Checkpoints selbst auf.</numerusform>
        </translation>
    </message>
    <message>
        <source>1 checkpoint is left alone because it cannot be read.</source>
        <translation>1 Checkpoint bleibt unberührt, weil er nicht gelesen werden kann.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln checkpoints are left alone because they cannot be read.</source>
        <translation>
            <numerusform>%Ln Checkpoint bleibt unberührt, weil er nicht gelesen werden kann.</numerusform>
            <numerusform>%Ln Checkpoints bleiben unberührt, weil sie nicht gelesen werden können.</numerusform>
        </translation>
    </message>
    <message>
        <source>1 checkpoint, %1, was moved to the trash.</source>
        <translation>1 Checkpoint, %1, wurde in den Papierkorb verschoben.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln checkpoints, %1, were moved to the trash.</source>
        <translation>
            <numerusform>%Ln Checkpoint, %1, wurde in den Papierkorb verschoben.</numerusform>
            <numerusform>%Ln Checkpoints, %1, wurden in den Papierkorb verschoben.</numerusform>
        </translation>
    </message>
    <message>
        <source>The checkpoints are back.</source>
        <translation>Die Checkpoints sind wieder da.</translation>
    </message>
    <message>
        <source>The rules keep every checkpoint.</source>
        <translation>Die Regeln behalten jeden Checkpoint.</translation>
    </message>
    <message>
        <source>Tick a rule to see which checkpoints it would not keep.</source>
        <translation>Eine angekreuzte Regel zeigt, welche Checkpoints sie nicht behielte.</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>In den Papierkorb verschieben</translation>
    </message>
    <message>
        <source>Move 1 checkpoint, %1, to the trash</source>
        <translation>1 Checkpoint, %1, in den Papierkorb verschieben</translation>
    </message>
    <message numerus="yes">
        <source>Move %Ln checkpoints, %1, to the trash</source>
        <translation>
            <numerusform>%Ln Checkpoint, %1, in den Papierkorb verschieben</numerusform>
            <numerusform>%Ln Checkpoints, %1, in den Papierkorb verschieben</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::ColumnsDialog</name>
    <message>
        <source>Columns of the runs</source>
        <translation>Spalten der Läufe</translation>
    </message>
    <message>
        <source>Find an option or a metric</source>
        <translation>Option oder Metrik finden</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>The last value</source>
        <translation>Der letzte Wert</translation>
    </message>
    <message>
        <source>The lowest value</source>
        <translation>Der niedrigste Wert</translation>
    </message>
    <message>
        <source>The highest value</source>
        <translation>Der höchste Wert</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>Optionen</translation>
    </message>
</context>
<context>
    <name>ui::CompareModel</name>
    <message>
        <source>%1, last</source>
        <translation>%1, letzter</translation>
    </message>
    <message>
        <source>%1, lowest</source>
        <translation>%1, niedrigster</translation>
    </message>
    <message>
        <source>%1, highest</source>
        <translation>%1, höchster</translation>
    </message>
    <message>
        <source>%1 at step %2</source>
        <translation>%1 bei Schritt %2</translation>
    </message>
    <message>
        <source>× %1</source>
        <translation>× %1</translation>
    </message>
    <message>
        <source>%1 minus %2</source>
        <translation>%1 minus %2</translation>
    </message>
    <message>
        <source>%1 divided by %2</source>
        <translation>%1 geteilt durch %2</translation>
    </message>
    <message>
        <source>%1, the baseline</source>
        <translation>%1, die Baseline</translation>
    </message>
    <message>
        <source>Option or metric</source>
        <translation>Option oder Metrik</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>ratio</source>
        <translation>Verhältnis</translation>
    </message>
    <message>
        <source>%1 (baseline)</source>
        <translation>%1 (Baseline)</translation>
    </message>
</context>
<context>
    <name>ui::CompareView</name>
    <message>
        <source>Only what differs</source>
        <translation>Nur Unterschiede</translation>
    </message>
    <message>
        <source>Differences and ratios</source>
        <translation>Differenzen und Verhältnisse</translation>
    </message>
    <message>
        <source>For each run the difference from the baseline, and the ratio to it</source>
        <translation>Für jeden Lauf die Differenz zur Baseline und das Verhältnis zu ihr</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>Baseline</translation>
    </message>
    <message>
        <source>The run that the others are compared with, here and in plots of differences</source>
        <translation>Der Lauf, mit dem die anderen verglichen werden, hier und in Kurven von Differenzen</translation>
    </message>
    <message>
        <source>Leave out</source>
        <translation>Weglassen</translation>
    </message>
    <message>
        <source>run.name, time/*</source>
        <translation>run.name, time/*</translation>
    </message>
    <message>
        <source>Options and metrics that are not shown, separated by commas; * stands for any characters</source>
        <translation>Optionen und Metriken, die nicht gezeigt werden, durch Kommas getrennt; * steht für beliebige Zeichen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the table as CSV</source>
        <translation>Die Tabelle als CSV kopieren</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>Als CSV speichern…</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Draw two or more runs to compare them: click their eyes in the list of runs.</source>
        <translation>Zum Vergleichen zwei oder mehr Läufe zeichnen: auf ihre Augen in der Liste der Läufe klicken.</translation>
    </message>
    <message>
        <source>Nothing that is shown differs between these runs.</source>
        <translation>In dem, was gezeigt wird, unterscheiden sich diese Läufe nicht.</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>The runs could not be compared. %1</source>
        <translation>Die Läufe konnten nicht verglichen werden. %1</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Save the comparison</source>
        <translation>Vergleich speichern</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>Durch Kommas getrennte Werte (*.csv)</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Write the table to a file</source>
        <translation>Die Tabelle in eine Datei schreiben</translation>
    </message>
    <message>
        <source>Leave out what is equal in all runs, or show it</source>
        <translation>Auslassen, was in allen Läufen gleich ist, oder es zeigen</translation>
    </message>
    <message>
        <source>Nothing is compared here yet: draw two or more runs.</source>
        <translation>Hier wird noch nichts verglichen: zwei oder mehr Läufe zeichnen.</translation>
    </message>
</context>
<context>
    <name>ui::CursorOverlay</name>
    <message>
        <source>step %1 · %2 · %3</source>
        <translation>Schritt %1 · %2 · %3</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>~ %1</source>
        <translation>~ %1</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>und %n weitere</numerusform>
            <numerusform>und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>attempt %1, superseded</source>
        <translation>Versuch %1, überholt</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
</context>
<context>
    <name>ui::DataDetails</name>
    <message>
        <source>Training image</source>
        <translation>Trainingsbild</translation>
    </message>
    <message>
        <source>Caption</source>
        <translation>Bildtext</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>100 %</source>
        <translation>100 %</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Open the folder that the file is in</source>
        <translation>Den Ordner öffnen, in dem die Datei liegt</translation>
    </message>
    <message>
        <source>No caption</source>
        <translation>Kein Bildtext</translation>
    </message>
    <message>
        <source>This file holds latents, which another program has computed.</source>
        <translation>Diese Datei enthält Latents, die ein anderes Programm berechnet hat.</translation>
    </message>
    <message>
        <source>The mask cannot be shown: %1</source>
        <translation>Die Maske kann nicht gezeigt werden: %1</translation>
    </message>
    <message>
        <source>
video file: %1</source>
        <translation>
Videodatei: %1</translation>
    </message>
    <message>
        <source>Dim what the mask leaves out</source>
        <translation>Blendet ab, was die Maske auslässt</translation>
    </message>
    <message>
        <source>Show each image pixel as one screen pixel</source>
        <translation>Jedes Bildpixel als ein Bildschirmpixel zeigen</translation>
    </message>
</context>
<context>
    <name>ui::DataGrid</name>
    <message>
        <source>Training data</source>
        <translation>Trainingsdaten</translation>
    </message>
    <message>
        <source>Precomputed</source>
        <translation>Vorberechnet</translation>
    </message>
    <message>
        <source>Not an image</source>
        <translation>Kein Bild</translation>
    </message>
    <message>
        <source>no caption</source>
        <translation>kein Bildtext</translation>
    </message>
</context>
<context>
    <name>ui::DataView</name>
    <message>
        <source>trained on</source>
        <translation>trainiert</translation>
    </message>
    <message>
        <source>held out</source>
        <translation>zurückgehalten</translation>
    </message>
    <message>
        <source>regularisation</source>
        <translation>Regularisierung</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>ausgelassen</translation>
    </message>
    <message>
        <source>%1 frames</source>
        <translation>%1 Einzelbilder</translation>
    </message>
    <message>
        <source>× %1</source>
        <translation>× %1</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>Left out: %1</source>
        <translation>Ausgelassen: %1</translation>
    </message>
    <message>
        <source>%1 times in an epoch</source>
        <translation>%1-mal je Epoche</translation>
    </message>
    <message>
        <source>precomputed</source>
        <translation>vorberechnet</translation>
    </message>
    <message>
        <source>its transparency is its mask</source>
        <translation>seine Transparenz ist die Maske</translation>
    </message>
    <message>
        <source>mask %1</source>
        <translation>Maske %1</translation>
    </message>
    <message>
        <source>%1 pixels</source>
        <translation>%1 Pixel</translation>
    </message>
    <message>
        <source>, trained at %1</source>
        <translation>, trainiert mit %1</translation>
    </message>
    <message>
        <source>, enlarged</source>
        <translation>, vergrößert</translation>
    </message>
    <message>
        <source>, %1 cropped away</source>
        <translation>, %1 abgeschnitten</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Trained on</source>
        <translation>Trainiert</translation>
    </message>
    <message>
        <source>Held out</source>
        <translation>Zurückgehalten</translation>
    </message>
    <message>
        <source>Regularisation</source>
        <translation>Regularisierung</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>Ausgelassen</translation>
    </message>
    <message>
        <source>Without a caption</source>
        <translation>Ohne Bildtext</translation>
    </message>
    <message>
        <source>With a mask</source>
        <translation>Mit Maske</translation>
    </message>
    <message>
        <source>Smaller than trained at</source>
        <translation>Kleiner als im Training</translation>
    </message>
    <message>
        <source>Which entries are shown</source>
        <translation>Welche Einträge gezeigt werden</translation>
    </message>
    <message>
        <source>Bucket</source>
        <translation>Bucket</translation>
    </message>
    <message>
        <source>Images are trained on at the size of the bucket whose shape is the nearest to theirs</source>
        <translation>Bilder werden in der Größe des Buckets trainiert, dessen Form ihrer am nächsten kommt</translation>
    </message>
    <message>
        <source>Search captions and names</source>
        <translation>Bildtexte und Namen durchsuchen</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>All buckets</source>
        <translation>Alle Buckets</translation>
    </message>
    <message>
        <source>%1 × %2 (%3)</source>
        <translation>%1 × %2 (%3)</translation>
    </message>
    <message>
        <source>No run is selected. Choose one in the list to see what it is trained on.</source>
        <translation>Kein Lauf ausgewählt. Ein Klick auf einen in der Liste zeigt, womit er trainiert wird.</translation>
    </message>
    <message>
        <source>This run has not listed any images. A run does when it has prepared its data.</source>
        <translation>Dieser Lauf hat noch keine Bilder aufgelistet. Das tut er, sobald er seine Daten vorbereitet hat.</translation>
    </message>
    <message>
        <source>This run has no training images: it learns from its own samples.</source>
        <translation>Dieser Lauf hat keine Trainingsbilder: Er lernt aus seinen eigenen Samples.</translation>
    </message>
    <message>
        <source>0 of %1 entries match.</source>
        <translation>0 von %1 Einträgen passen.</translation>
    </message>
    <message>
        <source>Clear filter</source>
        <translation>Filter löschen</translation>
    </message>
    <message>
        <source>The run could not be read. %1</source>
        <translation>Der Lauf konnte nicht gelesen werden. %1</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>The list of the training data could not be read. %1</source>
        <translation>Die Liste der Trainingsdaten konnte nicht gelesen werden. %1</translation>
    </message>
    <message>
        <source>%1 lines of the list are damaged or missing.</source>
        <translation>%1 Zeilen der Liste sind beschädigt oder fehlen.</translation>
    </message>
    <message>
        <source>%1 of %2 shown</source>
        <translation>%1 von %2 gezeigt</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Picture alone</source>
        <translation>Bild allein</translation>
    </message>
    <message>
        <source>Show the image in the whole view, and the grid again</source>
        <translation>Das Bild in der ganzen Ansicht zeigen und wieder das Raster</translation>
    </message>
    <message>
        <source>100 %</source>
        <translation>100 %</translation>
    </message>
    <message>
        <source>Show each image pixel as one screen pixel</source>
        <translation>Jedes Bildpixel als ein Bildschirmpixel zeigen</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>Dim what the mask leaves out</source>
        <translation>Blendet ab, was die Maske auslässt</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Open the folder that the file is in</source>
        <translation>Den Ordner öffnen, in dem die Datei liegt</translation>
    </message>
    <message>
        <source>Another picture</source>
        <translation>Anderes Bild</translation>
    </message>
    <message>
        <source>A picture that is larger than the view is moved in it; with Ctrl the arrows go to another one all the same</source>
        <translation>Ein Bild, das größer als die Ansicht ist, wird in ihr verschoben; mit Strg gehen die Pfeiltasten trotzdem zu einem anderen</translation>
    </message>
    <message>
        <source>Back to the grid</source>
        <translation>Zurück zum Raster</translation>
    </message>
    <message>
        <source>No image is listed.</source>
        <translation>Es ist kein Bild aufgelistet.</translation>
    </message>
    <message>
        <source>This image has no mask.</source>
        <translation>Dieses Bild hat keine Maske.</translation>
    </message>
    <message>
        <source>This run has listed no images: it ended before its data was prepared, or trains on none.</source>
        <translation>Dieser Lauf hat keine Bilder aufgelistet: Er endete, bevor seine Daten vorbereitet waren, oder trainiert mit keinen.</translation>
    </message>
</context>
<context>
    <name>ui::DebugDialog</name>
    <message>
        <source>Debug package of %1</source>
        <translation>Debug-Paket von %1</translation>
    </message>
    <message>
        <source>Content of the file</source>
        <translation>Inhalt der Datei</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>Entfernt</translation>
    </message>
    <message>
        <source>Places where a secret was removed</source>
        <translation>Stellen, an denen ein Geheimnis entfernt wurde</translation>
    </message>
    <message>
        <source>Files of the package</source>
        <translation>Dateien des Pakets</translation>
    </message>
    <message>
        <source>Save the debug package</source>
        <translation>Debug-Paket speichern</translation>
    </message>
    <message>
        <source>Compressed archives (*.tar.gz)</source>
        <translation>Komprimierte Archive (*.tar.gz)</translation>
    </message>
    <message>
        <source>%1 was written.</source>
        <translation>%1 wurde geschrieben.</translation>
    </message>
    <message>
        <source>No passwords or tokens were found.</source>
        <translation>Es wurden keine Passwörter oder Tokens gefunden.</translation>
    </message>
    <message>
        <source>A password or token was removed in 1 place.</source>
        <translation>An 1 Stelle wurde ein Passwort oder Token entfernt.</translation>
    </message>
    <message numerus="yes">
        <source>Passwords and tokens were removed in %Ln places.</source>
        <translation>
            <numerusform>An %Ln Stelle wurde ein Passwort oder Token entfernt.</numerusform>
            <numerusform>An %Ln Stellen wurden Passwörter und Tokens entfernt.</numerusform>
        </translation>
    </message>
    <message>
        <source>The package holds 1 file, %1.</source>
        <translation>Das Paket enthält 1 Datei, %1.</translation>
    </message>
    <message numerus="yes">
        <source>The package holds %Ln files, %1.</source>
        <translation>
            <numerusform>Das Paket enthält %Ln Datei, %1.</numerusform>
            <numerusform>Das Paket enthält %Ln Dateien, %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the run, and what is to be said about this machine…</source>
        <translation>Der Lauf und die Angaben über diese Maschine werden gelesen…</translation>
    </message>
    <message>
        <source>It has no weights, samples or data. Look through it before you hand it on.</source>
        <translation>Es enthält weder Gewichte noch Samples oder Daten. Vor der Weitergabe bitte durchsehen.</translation>
    </message>
</context>
<context>
    <name>ui::DesktopNotifier</name>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
</context>
<context>
    <name>ui::DifferenceDialog</name>
    <message>
        <source>From %1 to %2 of %3</source>
        <translation>Von %1 nach %2 von %3</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>By layer</source>
        <translation>Nach Schicht</translation>
    </message>
    <message>
        <source>By tensor</source>
        <translation>Nach Tensor</translation>
    </message>
    <message>
        <source>By layer or tensor</source>
        <translation>Nach Schicht oder Tensor</translation>
    </message>
    <message>
        <source>Weights as trained</source>
        <translation>Gewichte wie trainiert</translation>
    </message>
    <message>
        <source>Their moving average</source>
        <translation>Ihr gleitender Mittelwert</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Filter by name</source>
        <translation>Nach Name filtern</translation>
    </message>
    <message>
        <source>The comparison was cancelled.</source>
        <translation>Der Vergleich wurde abgebrochen.</translation>
    </message>
    <message>
        <source>%1 % is compared…</source>
        <translation>%1 % sind verglichen…</translation>
    </message>
    <message>
        <source>All %1 values are equal.</source>
        <translation>Alle %1 Werte sind gleich.</translation>
    </message>
    <message>
        <source>%1 of %2 values changed; the largest change is %3, the relative one %4.</source>
        <translation>%1 von %2 Werten haben sich geändert; die größte Änderung ist %3, die relative %4.</translation>
    </message>
    <message>
        <source>1 tensor is unchanged.</source>
        <translation>1 Tensor ist unverändert.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tensors are unchanged.</source>
        <translation>
            <numerusform>%Ln Tensor ist unverändert.</numerusform>
            <numerusform>%Ln Tensoren sind unverändert.</numerusform>
        </translation>
    </message>
    <message>
        <source>The checkpoints could not be compared. %1</source>
        <translation>Die Checkpoints konnten nicht verglichen werden. %1</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>These checkpoints hold no weights.</source>
        <translation>Diese Checkpoints enthalten keine Gewichte.</translation>
    </message>
    <message>
        <source>No name matches the filter.</source>
        <translation>Kein Name passt zum Filter.</translation>
    </message>
    <message>
        <source>%1 compares them…</source>
        <translation>%1 vergleicht sie…</translation>
    </message>
</context>
<context>
    <name>ui::DifferenceList</name>
    <message>
        <source>Changed options</source>
        <translation>Geänderte Optionen</translation>
    </message>
    <message>
        <source>Option</source>
        <translation>Option</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>%n change</source>
        <translation>%n Änderung</translation>
    </message>
    <message numerus="yes">
        <source>%Ln changes</source>
        <translation>
            <numerusform>%Ln Änderung</numerusform>
            <numerusform>%Ln Änderungen</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 from the defaults.</source>
        <translation>%1 gegenüber den Vorgaben.</translation>
    </message>
    <message>
        <source>%1 from %2, %3 from the defaults.</source>
        <translation>%1 gegenüber %2, %3 gegenüber den Vorgaben.</translation>
    </message>
</context>
<context>
    <name>ui::DifferenceModel</name>
    <message>
        <source>only in the first</source>
        <translation>nur im ersten</translation>
    </message>
    <message>
        <source>only in the second</source>
        <translation>nur im zweiten</translation>
    </message>
    <message>
        <source>the shapes differ</source>
        <translation>verschiedene Formen</translation>
    </message>
    <message>
        <source>no floating-point numbers</source>
        <translation>keine Gleitkommazahlen</translation>
    </message>
    <message>
        <source>1 value is not finite</source>
        <translation>1 Wert ist nicht endlich</translation>
    </message>
    <message numerus="yes">
        <source>%Ln values are not finite</source>
        <translation>
            <numerusform>%Ln Wert ist nicht endlich</numerusform>
            <numerusform>%Ln Werte sind nicht endlich</numerusform>
        </translation>
    </message>
    <message>
        <source>1 tensor</source>
        <translation>1 Tensor</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tensors</source>
        <translation>
            <numerusform>%Ln Tensor</numerusform>
            <numerusform>%Ln Tensoren</numerusform>
        </translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Largest</source>
        <translation>Größte</translation>
    </message>
    <message>
        <source>RMS</source>
        <translation>RMS</translation>
    </message>
    <message>
        <source>Relative</source>
        <translation>Relativ</translation>
    </message>
    <message>
        <source>The share of the values that are not equal</source>
        <translation>Anteil der Werte, die nicht gleich sind</translation>
    </message>
    <message>
        <source>The largest |second − first|</source>
        <translation>Größter |zweiter − erster|</translation>
    </message>
    <message>
        <source>The root mean square of second − first</source>
        <translation>Quadratisches Mittel von zweiter − erster</translation>
    </message>
    <message>
        <source>The norm of second − first, divided by the norm of the first</source>
        <translation>Norm von zweiter − erster, geteilt durch die Norm des ersten</translation>
    </message>
</context>
<context>
    <name>ui::DiskDialog</name>
    <message>
        <source>Disk usage</source>
        <translation>Speicherbelegung</translation>
    </message>
    <message>
        <source>Trash…</source>
        <translation>Papierkorb…</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Disk usage by run</source>
        <translation>Speicherbelegung nach Lauf</translation>
    </message>
    <message>
        <source>Show checkpoints</source>
        <translation>Checkpoints zeigen</translation>
    </message>
    <message>
        <source>runs %1</source>
        <translation>Läufe %1</translation>
    </message>
    <message>
        <source>index %1</source>
        <translation>Index %1</translation>
    </message>
    <message>
        <source>caches %1</source>
        <translation>Caches %1</translation>
    </message>
    <message>
        <source>trash %1</source>
        <translation>Papierkorb %1</translation>
    </message>
    <message>
        <source>being unpacked %1</source>
        <translation>wird ausgepackt %1</translation>
    </message>
    <message>
        <source>%1 in all (%2). %3 are free.</source>
        <translation>Insgesamt %1 (%2). %3 sind frei.</translation>
    </message>
    <message>
        <source>, </source>
        <translation>, </translation>
    </message>
    <message>
        <source>No runs yet.</source>
        <translation>Noch keine Läufe.</translation>
    </message>
    <message>
        <source>Move runs to the trash</source>
        <translation>Läufe in den Papierkorb verschieben</translation>
    </message>
    <message>
        <source>Move 1 run to the trash</source>
        <translation>1 Lauf in den Papierkorb verschieben</translation>
    </message>
    <message numerus="yes">
        <source>Move %Ln runs to the trash</source>
        <translation>
            <numerusform>%Ln Lauf in den Papierkorb verschieben</numerusform>
            <numerusform>%Ln Läufe in den Papierkorb verschieben</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::DiskModel</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Samples</translation>
    </message>
    <message>
        <source>Journals</source>
        <translation>Journale</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Logs</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Sonstiges</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
</context>
<context>
    <name>ui::Draft</name>
    <message>
        <source>%1 cannot check the experiment: %2</source>
        <translation>%1 kann das Experiment nicht prüfen: %2</translation>
    </message>
    <message>
        <source>The lists make more than %1 runs.</source>
        <translation>Die Listen ergeben mehr als %1 Läufe.</translation>
    </message>
    <message>
        <source>The text beside the form has %1 in a way that the form cannot change: change it there.</source>
        <translation>Im Text neben dem Formular steht %1 in einer Form, die das Formular nicht ändern kann: dort ändern.</translation>
    </message>
    <message>
        <source>%1; between several values stand a comma and a space</source>
        <translation>%1; zwischen mehreren Werten stehen ein Komma und ein Leerzeichen</translation>
    </message>
    <message>
        <source>Not saved: %1</source>
        <translation>Nicht gespeichert: %1</translation>
    </message>
    <message>
        <source>Of %1 only the first value is kept.</source>
        <translation>Von %1 wird nur der erste Wert behalten.</translation>
    </message>
</context>
<context>
    <name>ui::DraftOrigin</name>
    <message>
        <source>the ready experiment “%1”</source>
        <translation>dem fertigen Experiment „%1“</translation>
    </message>
    <message>
        <source>the preset “%1”</source>
        <translation>der Vorlage „%1“</translation>
    </message>
    <message>
        <source>the run “%1”</source>
        <translation>dem Lauf „%1“</translation>
    </message>
    <message>
        <source>the file “%1”</source>
        <translation>der Datei „%1“</translation>
    </message>
    <message>
        <source>the defaults</source>
        <translation>den Vorgaben</translation>
    </message>
</context>
<context>
    <name>ui::EventsModel</name>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Info</source>
        <translation>Info</translation>
    </message>
    <message>
        <source>supervisor</source>
        <translation>Supervisor</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
</context>
<context>
    <name>ui::EventsView</name>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Choose a run to see its events.</source>
        <translation>Ein Klick auf einen Lauf zeigt seine Ereignisse.</translation>
    </message>
    <message>
        <source>This run has no events yet.</source>
        <translation>Dieser Lauf hat noch keine Ereignisse.</translation>
    </message>
    <message>
        <source>Only the newest %1 events are shown.</source>
        <translation>Nur die neuesten %1 Ereignisse werden gezeigt.</translation>
    </message>
    <message>
        <source>This run has no events.</source>
        <translation>Dieser Lauf hat keine Ereignisse.</translation>
    </message>
</context>
<context>
    <name>ui::ExportDialog</name>
    <message>
        <source>LoRA file for diffusers</source>
        <translation>LoRA-Datei für diffusers</translation>
    </message>
    <message>
        <source>Model folder for diffusers</source>
        <translation>Modellordner für diffusers</translation>
    </message>
    <message>
        <source>LoRA folder for PEFT</source>
        <translation>LoRA-Ordner für PEFT</translation>
    </message>
    <message>
        <source>LoRA file for ComfyUI and Kohya&apos;s scripts</source>
        <translation>LoRA-Datei für ComfyUI und Kohyas Skripte</translation>
    </message>
    <message>
        <source>Model folder for diffusers, LoRA merged into it</source>
        <translation>Modellordner für diffusers, LoRA darin verschmolzen</translation>
    </message>
    <message>
        <source>Trained tensors in one safetensors file</source>
        <translation>Trainierte Tensoren in einer safetensors-Datei</translation>
    </message>
    <message>
        <source>Model from which the training started</source>
        <translation>Modell, von dem das Training ausging</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Export %1 of %2</source>
        <translation>%1 von %2 exportieren</translation>
    </message>
    <message>
        <source>As in the checkpoint</source>
        <translation>Wie im Checkpoint</translation>
    </message>
    <message>
        <source>float32</source>
        <translation>float32</translation>
    </message>
    <message>
        <source>bfloat16</source>
        <translation>bfloat16</translation>
    </message>
    <message>
        <source>float16</source>
        <translation>float16</translation>
    </message>
    <message>
        <source>As trained</source>
        <translation>Wie trainiert</translation>
    </message>
    <message>
        <source>&amp;Format:</source>
        <translation>&amp;Format:</translation>
    </message>
    <message>
        <source>&amp;Weights:</source>
        <translation>&amp;Gewichte:</translation>
    </message>
    <message>
        <source>&amp;Precision:</source>
        <translation>Genauig&amp;keit:</translation>
    </message>
    <message>
        <source>&amp;Started from:</source>
        <translation>&amp;Ausgangsmodell:</translation>
    </message>
    <message>
        <source>&amp;To folder:</source>
        <translation>&amp;Zielordner:</translation>
    </message>
    <message>
        <source>Folder for the files</source>
        <translation>Ordner für die Dateien</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>Folder of the model from which the training started</source>
        <translation>Ordner des Modells, von dem das Training ausging</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
    <message>
        <source>Their moving average</source>
        <translation>Ihr gleitender Mittelwert</translation>
    </message>
    <message>
        <source>This checkpoint cannot be exported. %1</source>
        <translation>Dieser Checkpoint kann nicht exportiert werden. %1</translation>
    </message>
    <message>
        <source>Name the folder of the model from which the training started; the file&apos;s layers are named after it.</source>
        <translation>Ordner des Modells angeben, von dem das Training ausging; die Schichten der Datei heißen wie seine.</translation>
    </message>
    <message>
        <source>Name a folder for the files.</source>
        <translation>Ordner für die Dateien angeben.</translation>
    </message>
    <message>
        <source>%1 is a relative path; name the folder from the root on.</source>
        <translation>%1 ist ein relativer Pfad; den Ordner von der Wurzel an angeben.</translation>
    </message>
    <message>
        <source>%1 is not empty; choose a new folder.</source>
        <translation>%1 ist nicht leer; einen neuen Ordner wählen.</translation>
    </message>
    <message>
        <source>%1 written…</source>
        <translation>%1 geschrieben…</translation>
    </message>
    <message>
        <source>Reading the checkpoint…</source>
        <translation>Der Checkpoint wird gelesen…</translation>
    </message>
    <message>
        <source>Nothing complete was written. %1</source>
        <translation>Nichts Vollständiges wurde geschrieben. %1</translation>
    </message>
    <message>
        <source>%1 with %2 written to %3.</source>
        <translation>%1 mit %2 nach %3 geschrieben.</translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 Datei</translation>
    </message>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln Datei</numerusform>
            <numerusform>%Ln Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Model folder, or LoRA file, for diffusers</source>
        <translation>Modellordner oder LoRA-Datei für diffusers</translation>
    </message>
</context>
<context>
    <name>ui::ExportThereDialog</name>
    <message>
        <source>Export %1 on %2</source>
        <translation>%1 auf %2 exportieren</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>The files are written on %1. Folders are folders there. To have them on this machine, copy them afterwards, for example with scp -r.</source>
        <translation>Die Dateien werden auf %1 geschrieben. Ordner sind Ordner dort. Um sie auf diesem Rechner zu haben, danach kopieren, zum Beispiel mit scp -r.</translation>
    </message>
    <message>
        <source>As trained</source>
        <translation>Wie trainiert</translation>
    </message>
    <message>
        <source>Their moving average</source>
        <translation>Ihr gleitender Mittelwert</translation>
    </message>
    <message>
        <source>As in the checkpoint</source>
        <translation>Wie im Checkpoint</translation>
    </message>
    <message>
        <source>float32</source>
        <translation>float32</translation>
    </message>
    <message>
        <source>bfloat16</source>
        <translation>bfloat16</translation>
    </message>
    <message>
        <source>float16</source>
        <translation>float16</translation>
    </message>
    <message>
        <source>The one that the run names, if it has one</source>
        <translation>Das im Lauf genannte, wenn es eines gibt</translation>
    </message>
    <message>
        <source>&amp;Format:</source>
        <translation>&amp;Format:</translation>
    </message>
    <message>
        <source>&amp;Weights:</source>
        <translation>&amp;Gewichte:</translation>
    </message>
    <message>
        <source>&amp;Precision:</source>
        <translation>Genauig&amp;keit:</translation>
    </message>
    <message>
        <source>&amp;Started from:</source>
        <translation>&amp;Ausgangsmodell:</translation>
    </message>
    <message>
        <source>&amp;To folder:</source>
        <translation>&amp;Zielordner:</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>Folder of the model from which the training started</source>
        <translation>Ordner des Modells, von dem das Training ausging</translation>
    </message>
    <message>
        <source>Folder for the files</source>
        <translation>Ordner für die Dateien</translation>
    </message>
    <message>
        <source>%1 is a relative path; name the folder from the root on.</source>
        <translation>%1 ist ein relativer Pfad; den Ordner von der Wurzel an angeben.</translation>
    </message>
    <message>
        <source>Name a folder for the files.</source>
        <translation>Ordner für die Dateien angeben.</translation>
    </message>
    <message>
        <source>%1 writes the files…</source>
        <translation>%1 schreibt die Dateien…</translation>
    </message>
    <message>
        <source>Nothing complete was written. %1</source>
        <translation>Nichts Vollständiges wurde geschrieben. %1</translation>
    </message>
    <message>
        <source>Written on %1:
%2</source>
        <translation>Geschrieben auf %1:
%2</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>The export is being cancelled…</source>
        <translation>Der Export wird abgebrochen…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>The export was cancelled. Nothing complete was written.</source>
        <translation>Der Export wurde abgebrochen. Es wurde nichts Vollständiges geschrieben.</translation>
    </message>
</context>
<context>
    <name>ui::FailureDialog</name>
    <message>
        <source>wrote nothing</source>
        <translation>schrieb nichts</translation>
    </message>
    <message>
        <source>in step %1</source>
        <translation>in Schritt %1</translation>
    </message>
    <message>
        <source>nobody saw how it ended</source>
        <translation>niemand sah, wie er endete</translation>
    </message>
    <message>
        <source>still ran; ended with the others</source>
        <translation>lief noch; mit den anderen beendet</translation>
    </message>
    <message>
        <source>The other ranks</source>
        <translation>Die anderen Ranks</translation>
    </message>
    <message>
        <source>What went wrong: %1</source>
        <translation>Was schiefging: %1</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Last record</source>
        <translation>Letzter Eintrag</translation>
    </message>
    <message>
        <source>What it did</source>
        <translation>Was er tat</translation>
    </message>
    <message>
        <source>How it ended</source>
        <translation>Wie er endete</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the page as text</source>
        <translation>Die Seite als Text kopieren</translation>
    </message>
    <message>
        <source>Attempt</source>
        <translation>Versuch</translation>
    </message>
    <message>
        <source>First</source>
        <translation>Zuerst</translation>
    </message>
    <message>
        <source>Rank %1, %2</source>
        <translation>Rank %1, %2</translation>
    </message>
    <message>
        <source>How</source>
        <translation>Wie</translation>
    </message>
    <message>
        <source>Its end</source>
        <translation>Sein Ende</translation>
    </message>
    <message>
        <source>Its last record</source>
        <translation>Sein letzter Eintrag</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Its memory</source>
        <translation>Sein Speicher</translation>
    </message>
    <message>
        <source>The machine</source>
        <translation>Die Maschine</translation>
    </message>
    <message>
        <source>%1 of memory in use</source>
        <translation>%1 Arbeitsspeicher belegt</translation>
    </message>
    <message>
        <source>The last lines of %1</source>
        <translation>Die letzten Zeilen von %1</translation>
    </message>
    <message>
        <source>It says nothing of this attempt.</source>
        <translation>Darin steht nichts über diesen Versuch.</translation>
    </message>
    <message>
        <source>No attempt of this run has failed or stalled.</source>
        <translation>Kein Versuch dieses Laufs ist fehlgeschlagen oder hängt.</translation>
    </message>
    <message>
        <source>What the ranks do: %1</source>
        <translation>Was die Ranks tun: %1</translation>
    </message>
    <message>
        <source>Its process</source>
        <translation>Sein Prozess</translation>
    </message>
    <message>
        <source>Furthest behind</source>
        <translation>Am weitesten zurück</translation>
    </message>
    <message>
        <source>The last lines of its log</source>
        <translation>Die letzten Zeilen seines Logs</translation>
    </message>
</context>
<context>
    <name>ui::FindBar</name>
    <message>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Find previous</source>
        <translation>Vorige Stelle</translation>
    </message>
    <message>
        <source>Find next</source>
        <translation>Nächste Stelle</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Not found.</source>
        <translation>Nicht gefunden.</translation>
    </message>
</context>
<context>
    <name>ui::ForecastView</name>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Average</source>
        <translation>Mittelwert</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Gathered</source>
        <translation>Gesammelt</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>Memory of a rank by part</source>
        <translation>Speicher eines Ranks nach Anteilen</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>The experiment has problems. The forecast below is of what it was before them.</source>
        <translation>Das Experiment hat Probleme. Die Prognose unten gilt dem Stand davor.</translation>
    </message>
    <message>
        <source>The forecast appears when the experiment has no problems.</source>
        <translation>Die Prognose erscheint, wenn das Experiment keine Probleme hat.</translation>
    </message>
    <message>
        <source>Planning…</source>
        <translation>Wird geplant…</translation>
    </message>
    <message>
        <source>Each rank needs %1 of the %2 that are free on its GPU.</source>
        <translation>Jeder Rank braucht %1 von %2, die auf seiner GPU frei sind.</translation>
    </message>
    <message>
        <source>Each rank needs %1 of the %2 that are free for it.</source>
        <translation>Jeder Rank braucht %1 von %2, die für ihn frei sind.</translation>
    </message>
    <message>
        <source>Activations come on top; they are known when the run has begun.</source>
        <translation>Aktivierungen kommen hinzu; sie sind bekannt, sobald der Lauf begonnen hat.</translation>
    </message>
    <message>
        <source>That is not enough: use more processes, smaller passes or a smaller model.</source>
        <translation>Das reicht nicht: mehr Prozesse, kleinere Durchgänge oder ein kleineres Modell verwenden.</translation>
    </message>
    <message>
        <source>%1; in the host&apos;s memory</source>
        <translation>%1; im Speicher des Hosts</translation>
    </message>
    <message>
        <source>On the disk at the end: %1 with %2; %3 are free now.</source>
        <translation>Am Ende auf der Platte: %1 mit %2; jetzt sind %3 frei.</translation>
    </message>
    <message>
        <source>Samples take up to %1 more.</source>
        <translation>Samples belegen bis zu %1 mehr.</translation>
    </message>
    <message>
        <source>%n checkpoint</source>
        <translation>%n Checkpoint</translation>
    </message>
    <message numerus="yes">
        <source>%Ln checkpoints</source>
        <translation>
            <numerusform>%Ln Checkpoint</numerusform>
            <numerusform>%Ln Checkpoints</numerusform>
        </translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>Kodieren</translation>
    </message>
    <message>
        <source>Data that is encoded for the first time takes up to %1 on the disk of the cache folder.</source>
        <translation>Daten, die zum ersten Mal kodiert werden, belegen bis zu %1 auf der Platte des Cache-Ordners.</translation>
    </message>
    <message>
        <source>Data that is encoded for the first time takes up to %1 more.</source>
        <translation>Daten, die zum ersten Mal kodiert werden, belegen bis zu %1 mehr.</translation>
    </message>
    <message>
        <source>Encoded data</source>
        <translation>Kodierte Daten</translation>
    </message>
</context>
<context>
    <name>ui::Format</name>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
    <message>
        <source>%1 d %2 h</source>
        <translation>%1 d %2 h</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>%1 s ago</source>
        <translation>vor %1 s</translation>
    </message>
    <message>
        <source>%1 min ago</source>
        <translation>vor %1 min</translation>
    </message>
    <message>
        <source>%1 h ago</source>
        <translation>vor %1 h</translation>
    </message>
</context>
<context>
    <name>ui::FramePlayer</name>
    <message>
        <source>Frame of the video</source>
        <translation>Bild des Videos</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>Frame %1 of %2</source>
        <translation>Bild %1 von %2</translation>
    </message>
    <message>
        <source>All %1 frames</source>
        <translation>Alle %1 Bilder</translation>
    </message>
    <message>
        <source>Chooses a frame; at the left end all are shown</source>
        <translation>Wählt ein Einzelbild; am linken Ende werden alle gezeigt</translation>
    </message>
    <message>
        <source>Plays the frames again and again</source>
        <translation>Spielt die Einzelbilder immer wieder ab</translation>
    </message>
</context>
<context>
    <name>ui::Gallery</name>
    <message>
        <source>%1 is not shown: at %2 the file is too large.</source>
        <translation>%1 wird nicht gezeigt: Mit %2 ist die Datei zu groß.</translation>
    </message>
    <message>
        <source>%1 is not an image in a known format.</source>
        <translation>%1 ist kein Bild in einem bekannten Format.</translation>
    </message>
    <message>
        <source>%1 is damaged: its header has no valid image size.</source>
        <translation>%1 ist beschädigt: Der Dateikopf enthält keine gültige Bildgröße.</translation>
    </message>
    <message>
        <source>%1 is not shown: at %2 pixels the image is too large.</source>
        <translation>%1 wird nicht gezeigt: Mit %2 Pixeln ist das Bild zu groß.</translation>
    </message>
    <message>
        <source>%1 is damaged: %2.</source>
        <translation>%1 ist beschädigt: %2.</translation>
    </message>
    <message>
        <source>%1 is missing.</source>
        <translation>%1 fehlt.</translation>
    </message>
    <message>
        <source>%1 is not shown: FFmpeg&apos;s libraries, or Atelier&apos;s program atelier-poster, are missing.</source>
        <translation>%1 wird nicht gezeigt: Die Bibliotheken von FFmpeg oder Ateliers Programm atelier-poster fehlen.</translation>
    </message>
    <message>
        <source>%1 is not shown: its first frame cannot be decoded within the limits of time and memory.</source>
        <translation>%1 wird nicht gezeigt: Das erste Bild lässt sich in den Grenzen von Zeit und Speicher nicht dekodieren.</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 frames per second</source>
        <translation>%1 Bilder pro Sekunde</translation>
    </message>
    <message>
        <source>1 frame</source>
        <translation>1 Bild</translation>
    </message>
    <message numerus="yes">
        <source>%Ln frames</source>
        <translation>
            <numerusform>%Ln Bild</numerusform>
            <numerusform>%Ln Bilder</numerusform>
        </translation>
    </message>
    <message>
        <source>about 1 frame</source>
        <translation>etwa 1 Bild</translation>
    </message>
    <message numerus="yes">
        <source>about %Ln frames</source>
        <translation>
            <numerusform>etwa %Ln Bild</numerusform>
            <numerusform>etwa %Ln Bilder</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::GalleryGrid</name>
    <message>
        <source>watched %1</source>
        <translation>beobachtet %1</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Samples</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <translation>%1, Schritt %2</translation>
    </message>
    <message>
        <source>%1, round %2, %3, %4</source>
        <translation>%1, Runde %2, %3, %4</translation>
    </message>
    <message>
        <source>round</source>
        <translation>Runde</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Best prompt</source>
        <translation>Bester Prompt</translation>
    </message>
    <message>
        <source>Worst prompt</source>
        <translation>Schlechtester Prompt</translation>
    </message>
    <message>
        <source>best sample</source>
        <translation>bestes Sample</translation>
    </message>
    <message>
        <source>worst sample</source>
        <translation>schlechtestes Sample</translation>
    </message>
    <message>
        <source>best of %1</source>
        <translation>bestes von %1</translation>
    </message>
    <message>
        <source>worst of %1</source>
        <translation>schlechtestes von %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>averaged weights (EMA)</source>
        <translation>gemittelte Gewichte (EMA)</translation>
    </message>
    <message>
        <source>weights: %1</source>
        <translation>Gewichte: %1</translation>
    </message>
    <message>
        <source>without a prompt</source>
        <translation>ohne Prompt</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation>Seed %1</translation>
    </message>
    <message>
        <source>guidance %1</source>
        <translation>Guidance %1</translation>
    </message>
    <message>
        <source>EMA</source>
        <translation>EMA</translation>
    </message>
    <message>
        <source>reward %1, %2</source>
        <translation>Reward %1, %2</translation>
    </message>
    <message>
        <source>
watched reward %1</source>
        <translation>
beobachteter Reward %1</translation>
    </message>
    <message>
        <source>
mean of the prompt %1, %2</source>
        <translation>
Mittel des Prompts %1, %2</translation>
    </message>
    <message>
        <source>Without a prompt</source>
        <translation>Ohne Prompt</translation>
    </message>
    <message>
        <source>round %1, after step %2
%3
seed %4 · guidance %5</source>
        <translation>Runde %1, nach Schritt %2
%3
Seed %4 · Guidance %5</translation>
    </message>
    <message>
        <source>step %1 · seed %2 · guidance %3</source>
        <translation>Schritt %1 · Seed %2 · Guidance %3</translation>
    </message>
    <message>
        <source> · attempt %1</source>
        <translation> · Versuch %1</translation>
    </message>
    <message>
        <source> · superseded by a later attempt</source>
        <translation> · von einem späteren Versuch überholt</translation>
    </message>
</context>
<context>
    <name>ui::GalleryView</name>
    <message>
        <source>Best and worst samples of rounds</source>
        <translation>Beste und schlechteste Samples von Runden</translation>
    </message>
    <message>
        <source>Samples by step</source>
        <translation>Samples nach Schritt</translation>
    </message>
    <message>
        <source>Best and worst of rounds</source>
        <translation>Beste und schlechteste von Runden</translation>
    </message>
    <message>
        <source>Sample at full size</source>
        <translation>Sample in voller Größe</translation>
    </message>
    <message>
        <source>100 %</source>
        <translation>100 %</translation>
    </message>
    <message>
        <source>There is no sample for this prompt and step.</source>
        <translation>Für diesen Prompt und Schritt gibt es kein Sample.</translation>
    </message>
    <message>
        <source>This sample is not shown: the journal names a file outside the run folder.</source>
        <translation>Dieses Sample wird nicht gezeigt: Das Journal nennt eine Datei außerhalb des Laufordners.</translation>
    </message>
    <message>
        <source>
%1 × %2 pixels, shown at %3 %</source>
        <translation>
%1 × %2 Pixel, gezeigt mit %3 %</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <translation>%1, Schritt %2</translation>
    </message>
    <message>
        <source>This run has no sample of this prompt.</source>
        <translation>Dieser Lauf hat kein Sample dieses Prompts.</translation>
    </message>
    <message>
        <source>
Beside it: %1</source>
        <translation>
Daneben: %1</translation>
    </message>
    <message>
        <source>No run is selected. Choose one in the list to see its samples.</source>
        <translation>Kein Lauf ausgewählt. Ein Klick auf einen in der Liste zeigt seine Samples.</translation>
    </message>
    <message>
        <source>No samples. They appear here when the run draws them.</source>
        <translation>Keine Samples. Sie erscheinen hier, sobald der Lauf welche zeichnet.</translation>
    </message>
    <message>
        <source>This run has no samples.</source>
        <translation>Dieser Lauf hat keine Samples.</translation>
    </message>
    <message>
        <source>The samples could not be read. %1</source>
        <translation>Die Samples konnten nicht gelesen werden. %1</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>Wird geladen…</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Samples</translation>
    </message>
    <message>
        <source>Picture alone</source>
        <translation>Bild allein</translation>
    </message>
    <message>
        <source>Show the sample in the whole view, and the grid again</source>
        <translation>Das Sample in der ganzen Ansicht zeigen und wieder das Raster</translation>
    </message>
    <message>
        <source>Show each image pixel as one screen pixel</source>
        <translation>Jedes Bildpixel als ein Bildschirmpixel zeigen</translation>
    </message>
    <message>
        <source>Steps or rounds</source>
        <translation>Schritte oder Runden</translation>
    </message>
    <message>
        <source>Show the best and worst samples of rounds, or what the model draws</source>
        <translation>Die besten und schlechtesten Samples der Runden zeigen oder was das Modell zeichnet</translation>
    </message>
    <message>
        <source>Two runs</source>
        <translation>Zwei Läufe</translation>
    </message>
    <message>
        <source>Show another run&apos;s sample of the same prompt beside this one, at the nearest step</source>
        <translation>Daneben das Sample eines anderen Laufs für denselben Prompt zeigen, beim nächstgelegenen Schritt</translation>
    </message>
    <message>
        <source>Another picture</source>
        <translation>Anderes Bild</translation>
    </message>
    <message>
        <source>A picture that is larger than the view is moved in it; with Ctrl the arrows go to another one all the same</source>
        <translation>Ein Bild, das größer als die Ansicht ist, wird in ihr verschoben; mit Strg gehen die Pfeiltasten trotzdem zu einem anderen</translation>
    </message>
    <message>
        <source>Back to the grid</source>
        <translation>Zurück zum Raster</translation>
    </message>
    <message>
        <source>Previous frame</source>
        <translation>Voriges Einzelbild</translation>
    </message>
    <message>
        <source>Show the frame before of a video</source>
        <translation>Das vorige Einzelbild eines Videos zeigen</translation>
    </message>
    <message>
        <source>Next frame</source>
        <translation>Nächstes Einzelbild</translation>
    </message>
    <message>
        <source>Show the next frame of a video</source>
        <translation>Das nächste Einzelbild eines Videos zeigen</translation>
    </message>
    <message>
        <source>Play or stop</source>
        <translation>Abspielen oder anhalten</translation>
    </message>
    <message>
        <source>Play the frames of a video again and again</source>
        <translation>Die Einzelbilder eines Videos immer wieder abspielen</translation>
    </message>
    <message>
        <source>There is no sample to show.</source>
        <translation>Es gibt kein Sample zu zeigen.</translation>
    </message>
    <message>
        <source>Only a run that is trained by a reward has samples of rounds.</source>
        <translation>Nur ein Lauf, der mit einem Reward trainiert wird, hat Samples von Runden.</translation>
    </message>
    <message>
        <source>Draw another run first.</source>
        <translation>Zuerst einen anderen Lauf zeichnen.</translation>
    </message>
    <message>
        <source>Samples of rounds are those of one run.</source>
        <translation>Samples von Runden sind die eines einzigen Laufs.</translation>
    </message>
    <message>
        <source>The sample is not a video.</source>
        <translation>Das Sample ist kein Video.</translation>
    </message>
</context>
<context>
    <name>ui::GpuBar</name>
    <message>
        <source>GPU %1: %2</source>
        <translation>GPU %1: %2</translation>
    </message>
    <message>
        <source>Memory: %1 of %2 used, %3 by runs of this window, %4 by others and the driver</source>
        <translation>Speicher: %1 von %2 belegt, %3 von Läufen dieses Fensters, %4 von anderen und dem Treiber</translation>
    </message>
    <message>
        <source>Load: %1 %</source>
        <translation>Auslastung: %1 %</translation>
    </message>
    <message>
        <source>Temperature: %1 °C</source>
        <translation>Temperatur: %1 °C</translation>
    </message>
    <message>
        <source>Slowed down by heat or by a lack of power</source>
        <translation>Gedrosselt wegen Hitze oder zu wenig Leistung</translation>
    </message>
    <message>
        <source>Nobody computes on it.</source>
        <translation>Niemand rechnet darauf.</translation>
    </message>
</context>
<context>
    <name>ui::GpuChoice</name>
    <message>
        <source>Looking for GPUs…</source>
        <translation>GPUs werden gesucht…</translation>
    </message>
    <message>
        <source>GPUs for the ranks</source>
        <translation>GPUs für die Ranks</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Free memory</source>
        <translation>Freier Speicher</translation>
    </message>
    <message>
        <source>Used by</source>
        <translation>Benutzt von</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>CUDA_VISIBLE_DEVICES hides it. %1</source>
        <translation>CUDA_VISIBLE_DEVICES verbirgt sie. %1</translation>
    </message>
    <message>
        <source>%1, %2 free, %3</source>
        <translation>%1, %2 frei, %3</translation>
    </message>
    <message>
        <source>used by nobody</source>
        <translation>von niemandem benutzt</translation>
    </message>
    <message>
        <source>used by %1</source>
        <translation>benutzt von %1</translation>
    </message>
    <message>
        <source>Training runs on the CPU: %1.</source>
        <translation>Das Training läuft auf der CPU: %1.</translation>
    </message>
    <message>
        <source>Training runs on the CPU, as the option “Device” says. Tick GPUs to train on them.</source>
        <translation>Das Training läuft auf der CPU, wie es die Option „Gerät“ sagt. Um auf GPUs zu trainieren, GPUs ankreuzen.</translation>
    </message>
    <message>
        <source>Any GPUs: the first %1 that CUDA shows. Tick those that the ranks should get instead, one for each.</source>
        <translation>Beliebige GPUs: die ersten %1, die CUDA zeigt. Ankreuzen legt fest, welche die Ranks stattdessen bekommen, jeder eine.</translation>
    </message>
    <message>
        <source>Others compute on a GPU that is ticked: training shares its memory with them and is slower.</source>
        <translation>Auf einer angekreuzten GPU rechnen andere: Das Training teilt sich ihren Speicher mit ihnen und ist langsamer.</translation>
    </message>
    <message>
        <source>%n GPU, for one rank.</source>
        <translation>%n GPU, für einen Rank.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln GPUs, one for each rank.</source>
        <translation>
            <numerusform>%Ln GPU, für einen Rank.</numerusform>
            <numerusform>%Ln GPUs, eine je Rank.</numerusform>
        </translation>
    </message>
    <message>
        <source>Free GPUs: the ranks get %1 on which nobody computes when the run starts. Tick some to choose others, one for each.</source>
        <translation>Freie GPUs: Die Ranks bekommen %1, auf denen niemand rechnet, wenn der Lauf beginnt. Andere lassen sich ankreuzen, je eine.</translation>
    </message>
    <message>
        <source>There, training runs on the CPU: %1.</source>
        <translation>Dort wird auf der CPU trainiert: %1.</translation>
    </message>
</context>
<context>
    <name>ui::GpuWatch</name>
    <message>
        <source>there is no connection</source>
        <translation>es gibt keine Verbindung</translation>
    </message>
    <message>
        <source>the driver does not answer</source>
        <translation>der Treiber antwortet nicht</translation>
    </message>
    <message>
        <source>Last record %1: %2</source>
        <translation>Letzter Eintrag %1: %2</translation>
    </message>
    <message>
        <source>No record: %1</source>
        <translation>Kein Eintrag: %1</translation>
    </message>
</context>
<context>
    <name>ui::GroupMenu</name>
    <message>
        <source>One line, the mean, for:</source>
        <translation>Eine Linie, das Mittel, für:</translation>
    </message>
    <message>
        <source>An option</source>
        <translation>Eine Option</translation>
    </message>
    <message>
        <source>Another option…</source>
        <translation>Andere Option…</translation>
    </message>
    <message>
        <source>Around the mean</source>
        <translation>Um das Mittel</translation>
    </message>
    <message>
        <source>Options that repeats may differ in…</source>
        <translation>Optionen, in denen sich Wiederholungen unterscheiden dürfen…</translation>
    </message>
    <message>
        <source>Group runs</source>
        <translation>Läufe gruppieren</translation>
    </message>
    <message>
        <source>Runs with the same value of this option become one line:</source>
        <translation>Läufe mit demselben Wert dieser Option werden zu einer Linie:</translation>
    </message>
    <message>
        <source>Group repeats</source>
        <translation>Wiederholungen gruppieren</translation>
    </message>
    <message>
        <source>Runs that differ in nothing but these options become one line; * stands for any characters:</source>
        <translation>Läufe, die sich nur in diesen Optionen unterscheiden, werden zu einer Linie; * steht für beliebige Zeichen:</translation>
    </message>
</context>
<context>
    <name>ui::Groups</name>
    <message>
        <source>%1 not set</source>
        <translation>%1 nicht gesetzt</translation>
    </message>
    <message>
        <source>no project</source>
        <translation>kein Projekt</translation>
    </message>
    <message>
        <source>no tags</source>
        <translation>keine Tags</translation>
    </message>
    <message>
        <source>min–max</source>
        <translation>Min–Max</translation>
    </message>
    <message>
        <source>± standard deviation</source>
        <translation>± Standardabweichung</translation>
    </message>
    <message>
        <source>No groups</source>
        <translation>Keine Gruppen</translation>
    </message>
    <message>
        <source>Each run, over its ranks</source>
        <translation>Jeder Lauf, über seine Ranks</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>Repeats of the same options</source>
        <translation>Wiederholungen mit gleichen Optionen</translation>
    </message>
    <message>
        <source>Mean and %1 of each group, at the steps that all its runs and ranks have recorded</source>
        <translation>Mittel und %1 jeder Gruppe, bei den Schritten, die alle ihre Läufe und Ranks aufgezeichnet haben</translation>
    </message>
</context>
<context>
    <name>ui::HostDialog</name>
    <message>
        <source>Open another machine</source>
        <translation>Anderen Rechner öffnen</translation>
    </message>
    <message>
        <source>A window of its own shows the runs of another machine, through SSH: lists, plots, samples and logs follow there as here, and commands reach its runs. Atelier must be installed there, and `ssh HOST` must work without a password, by a key.</source>
        <translation>Ein eigenes Fenster zeigt die Läufe eines anderen Rechners über SSH: Listen, Kurven, Samples und Logs laufen dort mit wie hier, und Befehle erreichen seine Läufe. Atelier muss dort installiert sein, und `ssh HOST` muss ohne Passwort gehen, mit einem Schlüssel.</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>HOST or USER@HOST, and :/PATH of another data home there</source>
        <translation>HOST oder USER@HOST und :/PFAD eines anderen Datenordners dort</translation>
    </message>
    <message>
        <source>Program there</source>
        <translation>Programm dort</translation>
    </message>
    <message>
        <source>&amp;Machine:</source>
        <translation>&amp;Rechner:</translation>
    </message>
    <message>
        <source>&amp;Program there:</source>
        <translation>&amp;Programm dort:</translation>
    </message>
</context>
<context>
    <name>ui::ImportDialog</name>
    <message>
        <source>&amp;All</source>
        <translation>&amp;Alle</translation>
    </message>
    <message>
        <source>Import runs</source>
        <translation>Läufe importieren</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Recorded by</source>
        <translation>Aufgezeichnet von</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Runs found</source>
        <translation>Gefundene Läufe</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Folder or file</source>
        <translation>Ordner oder Datei</translation>
    </message>
    <message>
        <source>Choose &amp;folder…</source>
        <translation>&amp;Ordner wählen…</translation>
    </message>
    <message>
        <source>Choose f&amp;ile…</source>
        <translation>&amp;Datei wählen…</translation>
    </message>
    <message>
        <source>Choose a folder with runs</source>
        <translation>Ordner mit Läufen wählen</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Datei wählen</translation>
    </message>
    <message>
        <source>1 more folder or file cannot be read.</source>
        <translation>1 weiterer Ordner oder 1 weitere Datei kann nicht gelesen werden.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more folders and files cannot be read.</source>
        <translation>
            <numerusform>%Ln weiterer Ordner oder weitere Datei kann nicht gelesen werden.</numerusform>
            <numerusform>%Ln weitere Ordner und Dateien können nicht gelesen werden.</numerusform>
        </translation>
    </message>
    <message>
        <source>is being read …</source>
        <translation>wird gelesen …</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>was cancelled</source>
        <translation>wurde abgebrochen</translation>
    </message>
    <message>
        <source>is here already</source>
        <translation>ist schon hier</translation>
    </message>
    <message>
        <source>1 value</source>
        <translation>1 Wert</translation>
    </message>
    <message numerus="yes">
        <source>%Ln values</source>
        <translation>
            <numerusform>%Ln Wert</numerusform>
            <numerusform>%Ln Werte</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>%1 mehr</translation>
    </message>
    <message>
        <source>1 run was imported.</source>
        <translation>1 Lauf wurde importiert.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs were imported.</source>
        <translation>
            <numerusform>%Ln Lauf wurde importiert.</numerusform>
            <numerusform>%Ln Läufe wurden importiert.</numerusform>
        </translation>
    </message>
    <message>
        <source>1 is here already.</source>
        <translation>1 ist schon hier.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln are here already.</source>
        <translation>
            <numerusform>%Ln ist schon hier.</numerusform>
            <numerusform>%Ln sind schon hier.</numerusform>
        </translation>
    </message>
    <message>
        <source>1 could not be imported.</source>
        <translation>1 konnte nicht importiert werden.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln could not be imported.</source>
        <translation>
            <numerusform>%Ln konnte nicht importiert werden.</numerusform>
            <numerusform>%Ln konnten nicht importiert werden.</numerusform>
        </translation>
    </message>
    <message>
        <source>The rest was cancelled.</source>
        <translation>Der Rest wurde abgebrochen.</translation>
    </message>
    <message>
        <source>Nothing to import was found there.</source>
        <translation>Dort wurde nichts zum Importieren gefunden.</translation>
    </message>
    <message>
        <source>Import 1 run</source>
        <translation>1 Lauf importieren</translation>
    </message>
    <message numerus="yes">
        <source>Import %Ln runs</source>
        <translation>
            <numerusform>%Ln Lauf importieren</numerusform>
            <numerusform>%Ln Läufe importieren</numerusform>
        </translation>
    </message>
    <message>
        <source>Runs and tables (*tfevents* *.wandb *.db *.csv *.tsv *.json *.jsonl *.ndjson);;All files (*)</source>
        <translation>Läufe und Tabellen (*tfevents* *.wandb *.db *.csv *.tsv *.json *.jsonl *.ndjson);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Choose a folder with TensorBoard&apos;s event files, offline runs of Weights &amp; Biases (offline-run-…) or databases of trackio; or a CSV or JSON file with metrics.</source>
        <translation>Einen Ordner mit Event-Dateien von TensorBoard, Offline-Läufen von Weights &amp; Biases (offline-run-…) oder Datenbanken von trackio wählen; oder eine CSV- oder JSON-Datei mit Metriken.</translation>
    </message>
    <message>
        <source>has changed</source>
        <translation>hat sich geändert</translation>
    </message>
</context>
<context>
    <name>ui::IndexError</name>
    <message>
        <source>The index of runs is the file %1. It holds nothing that the folders of the runs do not hold: `atelier reindex` makes it anew from them.</source>
        <translation>Der Index der Läufe ist die Datei %1. Er enthält nichts, was nicht in den Ordnern der Läufe steht: `atelier reindex` baut ihn aus ihnen neu auf.</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
</context>
<context>
    <name>ui::IndexPlace</name>
    <message>
        <source>The index of runs is kept in %1.</source>
        <translation>Der Index der Läufe liegt in %1.</translation>
    </message>
    <message>
        <source>The data home is on a network disk (%1), where a database is not safe, so the index of runs is kept on this machine, in %2.</source>
        <translation>Der Datenordner liegt auf einem Netzlaufwerk (%1), wo eine Datenbank nicht sicher ist; deshalb liegt der Index der Läufe auf dieser Maschine, in %2.</translation>
    </message>
</context>
<context>
    <name>ui::Inspector</name>
    <message>
        <source>Overview</source>
        <translation>Überblick</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>Optionen</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Choose a run to see its details.</source>
        <translation>Ein Klick auf einen Lauf zeigt seine Einzelheiten.</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>Inspektor</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the selected options</source>
        <translation>Die ausgewählten Optionen kopieren</translation>
    </message>
    <message>
        <source>Go to the tab Options or Difference.</source>
        <translation>Zum Reiter Optionen oder Unterschied wechseln.</translation>
    </message>
    <message>
        <source>Save what is typed</source>
        <translation>Getipptes speichern</translation>
    </message>
    <message>
        <source>In the fields of the tab Notes, which are saved when the focus leaves them, too</source>
        <translation>In den Feldern des Reiters Notizen, die auch gespeichert werden, wenn der Fokus sie verlässt</translation>
    </message>
    <message>
        <source>Take back what is typed</source>
        <translation>Getipptes zurücknehmen</translation>
    </message>
</context>
<context>
    <name>ui::KeysDialog</name>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>All defaults</source>
        <translation>Alle Vorgaben</translation>
    </message>
    <message>
        <source>Find an action or a key</source>
        <translation>Aktion oder Taste finden</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Taste</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>Was sie tut</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>New key of the action</source>
        <translation>Neue Taste der Aktion</translation>
    </message>
    <message>
        <source>Give it this key</source>
        <translation>Ihr diese Taste geben</translation>
    </message>
    <message>
        <source>No key</source>
        <translation>Keine Taste</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>%1 alone would be missing in every text field. Add Ctrl or Alt.</source>
        <translation>%1 allein würde in jedem Textfeld fehlen. Strg oder Alt hinzunehmen.</translation>
    </message>
    <message>
        <source>%1 is the key of “%2”, which would lose it.</source>
        <translation>%1 ist die Taste von „%2“, das sie verlöre.</translation>
    </message>
    <message>
        <source>This key belongs to the view that has the focus, and stays.</source>
        <translation>Diese Taste gehört der Ansicht, die den Fokus hat, und bleibt.</translation>
    </message>
    <message>
        <source>%1 is the key of “%2”, which stays.</source>
        <translation>%1 ist die Taste von „%2“, die bleibt.</translation>
    </message>
    <message>
        <source>”, “</source>
        <translation>“, „</translation>
    </message>
</context>
<context>
    <name>ui::LaunchSide</name>
    <message>
        <source>TOML text</source>
        <translation>TOML-Text</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>Prognose</translation>
    </message>
    <message>
        <source>Slurm script</source>
        <translation>Slurm-Skript</translation>
    </message>
    <message>
        <source>Changes (%1)</source>
        <translation>Änderungen (%1)</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>Preflight checks</source>
        <translation>Prüfungen vor dem Start</translation>
    </message>
    <message>
        <source>The text has errors and is kept as typed; the form shows the values that could be read. %1</source>
        <translation>Der Text hat Fehler und bleibt wie getippt; das Formular zeigt die Werte, die sich lesen ließen. %1</translation>
    </message>
    <message>
        <source>The text cannot be read and is kept as typed; the form waits until it can be. %1</source>
        <translation>Der Text ist nicht lesbar und bleibt, wie er eingegeben wurde; das Formular wartet, bis er lesbar ist. %1</translation>
    </message>
</context>
<context>
    <name>ui::LaunchWindow</name>
    <message>
        <source>New experiment – Atelier</source>
        <translation>Neues Experiment – Atelier</translation>
    </message>
    <message>
        <source>Ready experiments</source>
        <translation>Fertige Experimente</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Vorlagen</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Save as a file…</source>
        <translation>Als Datei speichern…</translation>
    </message>
    <message>
        <source>All defaults</source>
        <translation>Alle Vorgaben</translation>
    </message>
    <message>
        <source>Replace the experiment</source>
        <translation>Experiment ersetzen</translation>
    </message>
    <message>
        <source>The experiment in this window has changes that are not saved. Replace it?</source>
        <translation>Das Experiment in diesem Fenster hat Änderungen, die nicht gespeichert sind. Ersetzen?</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Keep my changes</source>
        <translation>Änderungen behalten</translation>
    </message>
    <message>
        <source>Open an experiment</source>
        <translation>Experiment öffnen</translation>
    </message>
    <message>
        <source>Experiments (*.toml)</source>
        <translation>Experimente (*.toml)</translation>
    </message>
    <message>
        <source>Save the experiment</source>
        <translation>Experiment speichern</translation>
    </message>
    <message>
        <source>Choose a folder for runs, on a disk with space</source>
        <translation>Ordner für Läufe wählen, auf einer Platte mit Platz</translation>
    </message>
    <message>
        <source>Another window opens, whose runs are in %1. To come back to them later, start Atelier with ATELIER_HOME=%1.</source>
        <translation>Ein weiteres Fenster öffnet sich, dessen Läufe in %1 liegen. Mit ATELIER_HOME=%1 gestartet, zeigt Atelier sie später wieder.</translation>
    </message>
    <message>
        <source>Saved as %1.</source>
        <translation>Gespeichert als %1.</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>%1 kann nicht geschrieben werden: %2.</translation>
    </message>
    <message>
        <source>Adding to the queue…</source>
        <translation>Wird eingereiht…</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Wird gestartet…</translation>
    </message>
    <message>
        <source>New experiment on %1 – Atelier</source>
        <translation>Neues Experiment auf %1 – Atelier</translation>
    </message>
    <message>
        <source>The run is checked and started on %1. Paths are those of files there: type them. The menu Presets has those of both machines; experiment files are this one&apos;s.</source>
        <translation>Der Lauf wird auf %1 geprüft und gestartet. Pfade sind die von Dateien dort und werden eingetippt. Das Menü Vorlagen hat die beider Rechner; Experimentdateien sind die dieses Rechners.</translation>
    </message>
    <message>
        <source>%1 in the queue – Atelier</source>
        <translation>%1 in der Warteschlange – Atelier</translation>
    </message>
    <message>
        <source>As it is in the queue</source>
        <translation>Wie in der Warteschlange</translation>
    </message>
    <message>
        <source>%1 in the queue on %2 – Atelier</source>
        <translation>%1 in der Warteschlange auf %2 – Atelier</translation>
    </message>
    <message>
        <source>Your changes from before are here. The queue does not have them yet.</source>
        <translation>Die früheren Änderungen sind hier. In der Warteschlange stehen sie noch nicht.</translation>
    </message>
    <message>
        <source>Nothing differs from what is in the queue.</source>
        <translation>Nichts weicht von dem ab, was in der Warteschlange steht.</translation>
    </message>
    <message>
        <source>The run has one value of each option; lists of values make new runs: “Queue as a new run”.</source>
        <translation>Der Lauf hat von jeder Option einen Wert; Listen von Werten ergeben neue Läufe: „Als neuen Lauf einreihen“.</translation>
    </message>
    <message>
        <source>Saving in the queue…</source>
        <translation>Wird in der Warteschlange gespeichert…</translation>
    </message>
    <message>
        <source>Added to the queue when the checks have ended.</source>
        <translation>Kommt in die Warteschlange, wenn die Prüfungen beendet sind.</translation>
    </message>
    <message>
        <source>Saved when the checks have ended.</source>
        <translation>Wird gespeichert, wenn die Prüfungen beendet sind.</translation>
    </message>
    <message>
        <source>Starts when the checks have ended.</source>
        <translation>Startet, wenn die Prüfungen beendet sind.</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Start the run when the checks have ended, or save it in the queue</source>
        <translation>Den Lauf starten, wenn die Prüfungen beendet sind, oder in der Warteschlange speichern</translation>
    </message>
    <message>
        <source>Add to queue</source>
        <translation>In die Warteschlange</translation>
    </message>
    <message>
        <source>Start the run when its turn in the queue has come</source>
        <translation>Den Lauf starten, wenn er in der Warteschlange an der Reihe ist</translation>
    </message>
    <message>
        <source>Do not start</source>
        <translation>Nicht starten</translation>
    </message>
    <message>
        <source>Do not start after the checks</source>
        <translation>Nach den Prüfungen nicht starten</translation>
    </message>
    <message>
        <source>Find an option</source>
        <translation>Option finden</translation>
    </message>
    <message>
        <source>Find options by their names and descriptions</source>
        <translation>Optionen nach ihren Namen und Beschreibungen finden</translation>
    </message>
    <message>
        <source>Ready experiments…</source>
        <translation>Fertige Experimente…</translation>
    </message>
    <message>
        <source>Begin with an experiment that comes with Atelier</source>
        <translation>Mit einem Experiment beginnen, das zu Atelier gehört</translation>
    </message>
    <message>
        <source>Presets…</source>
        <translation>Vorlagen…</translation>
    </message>
    <message>
        <source>Begin with an experiment that you have saved</source>
        <translation>Mit einem gespeicherten Experiment beginnen</translation>
    </message>
    <message>
        <source>Save as a preset</source>
        <translation>Als Vorlage speichern</translation>
    </message>
    <message>
        <source>Keep the experiment under a name</source>
        <translation>Das Experiment unter einem Namen behalten</translation>
    </message>
    <message>
        <source>Save as a new preset…</source>
        <translation>Als neue Vorlage speichern…</translation>
    </message>
    <message>
        <source>Keep the experiment under another name</source>
        <translation>Das Experiment unter einem anderen Namen behalten</translation>
    </message>
    <message>
        <source>Rename the preset…</source>
        <translation>Vorlage umbenennen…</translation>
    </message>
    <message>
        <source>Give the preset that the experiment came from another name</source>
        <translation>Der Vorlage, aus der das Experiment stammt, einen anderen Namen geben</translation>
    </message>
    <message>
        <source>Delete the preset…</source>
        <translation>Vorlage löschen…</translation>
    </message>
    <message>
        <source>Delete the preset that the experiment came from</source>
        <translation>Die Vorlage löschen, aus der das Experiment stammt</translation>
    </message>
    <message>
        <source>Open an experiment file</source>
        <translation>Eine Experimentdatei öffnen</translation>
    </message>
    <message>
        <source>Write the experiment to a file</source>
        <translation>Das Experiment in eine Datei schreiben</translation>
    </message>
    <message>
        <source>Give all options their defaults, or the values that the run has in the queue</source>
        <translation>Allen Optionen ihre Vorgaben geben oder die Werte, die der Lauf in der Warteschlange hat</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>Prognose</translation>
    </message>
    <message>
        <source>Show what memory and disk the run needs, and try some steps to know how long it takes</source>
        <translation>Zeigen, wie viel Arbeitsspeicher und Platte der Lauf braucht, und einige Schritte probieren, um zu wissen, wie lange er dauert</translation>
    </message>
    <message>
        <source>Copy the command line</source>
        <translation>Befehlszeile kopieren</translation>
    </message>
    <message>
        <source>Copy the command that does what Start does</source>
        <translation>Den Befehl kopieren, der dasselbe tut wie Starten</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close the window; what is filled in is kept</source>
        <translation>Das Fenster schließen; was ausgefüllt ist, bleibt</translation>
    </message>
    <message>
        <source>A run is being started.</source>
        <translation>Ein Lauf wird gerade gestartet.</translation>
    </message>
    <message>
        <source>The experiment did not come from a preset.</source>
        <translation>Das Experiment stammt nicht aus einer Vorlage.</translation>
    </message>
    <message>
        <source>No start waits for the checks.</source>
        <translation>Kein Start wartet auf die Prüfungen.</translation>
    </message>
    <message>
        <source>There is no command line yet, since the form has problems.</source>
        <translation>Es gibt noch keine Befehlszeile, da im Formular etwas falsch ist.</translation>
    </message>
</context>
<context>
    <name>ui::LegendBar</name>
    <message>
        <source>  × %1 not finite</source>
        <translation>  × %1 nicht endlich</translation>
    </message>
    <message>
        <source>Legend</source>
        <translation>Legende</translation>
    </message>
    <message>
        <source>+%1</source>
        <translation>+%1</translation>
    </message>
    <message>
        <source>&amp;Line…</source>
        <translation>&amp;Linie…</translation>
    </message>
    <message>
        <source>&amp;Lines of all…</source>
        <translation>&amp;Linien aller…</translation>
    </message>
</context>
<context>
    <name>ui::LineDialog</name>
    <message numerus="yes">
        <source>%Ln runs</source>
        <translation>
            <numerusform>%Ln Lauf</numerusform>
            <numerusform>%Ln Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>Line of %1</source>
        <translation>Linie von %1</translation>
    </message>
    <message>
        <source>&amp;All automatic</source>
        <translation>&amp;Alles automatisch</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Blue</source>
        <translation>Blau</translation>
    </message>
    <message>
        <source>Orange</source>
        <translation>Orange</translation>
    </message>
    <message>
        <source>Green</source>
        <translation>Grün</translation>
    </message>
    <message>
        <source>Vermilion</source>
        <translation>Zinnoberrot</translation>
    </message>
    <message>
        <source>Pink</source>
        <translation>Rosa</translation>
    </message>
    <message>
        <source>Light blue</source>
        <translation>Hellblau</translation>
    </message>
    <message>
        <source>Yellow</source>
        <translation>Gelb</translation>
    </message>
    <message>
        <source>&amp;Colour:</source>
        <translation>&amp;Farbe:</translation>
    </message>
    <message>
        <source>Another colour…</source>
        <translation>Eine andere Farbe…</translation>
    </message>
    <message>
        <source>Other…</source>
        <translation>Andere…</translation>
    </message>
    <message>
        <source>&amp;Line:</source>
        <translation>&amp;Linie:</translation>
    </message>
    <message>
        <source>Solid</source>
        <translation>Durchgezogen</translation>
    </message>
    <message>
        <source>Dashed</source>
        <translation>Gestrichelt</translation>
    </message>
    <message>
        <source>Dotted</source>
        <translation>Gepunktet</translation>
    </message>
    <message>
        <source>Dashes and dots</source>
        <translation>Striche und Punkte</translation>
    </message>
    <message>
        <source>&amp;Marker:</source>
        <translation>&amp;Markierung:</translation>
    </message>
    <message>
        <source>No marker</source>
        <translation>Keine Markierung</translation>
    </message>
    <message>
        <source>Circles</source>
        <translation>Kreise</translation>
    </message>
    <message>
        <source>Squares</source>
        <translation>Quadrate</translation>
    </message>
    <message>
        <source>Triangles</source>
        <translation>Dreiecke</translation>
    </message>
    <message>
        <source>Diamonds</source>
        <translation>Rauten</translation>
    </message>
    <message>
        <source>Drawn darker than chosen, so that it can be seen on this background.</source>
        <translation>Dunkler gezeichnet als gewählt, damit sie auf diesem Hintergrund zu sehen ist.</translation>
    </message>
    <message>
        <source>Drawn lighter than chosen, so that it can be seen on this background.</source>
        <translation>Heller gezeichnet als gewählt, damit sie auf diesem Hintergrund zu sehen ist.</translation>
    </message>
</context>
<context>
    <name>ui::LogFilter</name>
    <message>
        <source>The search text is not a valid regular expression: %1 at character %2.</source>
        <translation>Der Suchtext ist kein gültiger regulärer Ausdruck: %1 bei Zeichen %2.</translation>
    </message>
</context>
<context>
    <name>ui::LogModel</name>
    <message>
        <source>… and 1 line more, which is too much to copy</source>
        <translation>… und 1 weitere Zeile, was zum Kopieren zu viel ist</translation>
    </message>
    <message numerus="yes">
        <source>… and %Ln lines more, which are too many to copy</source>
        <translation>
            <numerusform>… und %Ln weitere Zeile, was zum Kopieren zu viel ist</numerusform>
            <numerusform>… und %Ln weitere Zeilen, was zum Kopieren zu viel ist</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::LogView</name>
    <message>
        <source>Log lines</source>
        <translation>Logzeilen</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Info</source>
        <translation>Info</translation>
    </message>
    <message>
        <source>Debug</source>
        <translation>Debug</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>the name of a log, and one of its lines</comment>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>ui::LogsDock</name>
    <message>
        <source>supervisor</source>
        <translation>Supervisor</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>Regex</source>
        <translation>Regex</translation>
    </message>
    <message>
        <source>Follow: stay at the last line</source>
        <translation>Folgen: bei der letzten Zeile bleiben</translation>
    </message>
    <message>
        <source>Log file</source>
        <translation>Logdatei</translation>
    </message>
    <message>
        <source>Minimum level</source>
        <translation>Mindeststufe</translation>
    </message>
    <message>
        <source>All levels</source>
        <translation>Alle Stufen</translation>
    </message>
    <message>
        <source>Info and above</source>
        <translation>Info und höher</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>Warnungen und Fehler</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Show lines that contain …</source>
        <translation>Zeilen mit diesem Text …</translation>
    </message>
    <message>
        <source>Search in logs</source>
        <translation>In Logs suchen</translation>
    </message>
    <message>
        <source>Copy the selected lines</source>
        <translation>Die ausgewählten Zeilen kopieren</translation>
    </message>
    <message>
        <source>Open the log file</source>
        <translation>Die Logdatei öffnen</translation>
    </message>
    <message>
        <source>All, merged by time</source>
        <translation>Alle, nach Zeit gemischt</translation>
    </message>
    <message>
        <source>Choose a run to read its logs.</source>
        <translation>Ein Klick auf einen Lauf zeigt seine Logs.</translation>
    </message>
    <message>
        <source>No line matches.</source>
        <translation>Keine Zeile passt.</translation>
    </message>
    <message>
        <source>This run has not logged anything yet.</source>
        <translation>Dieser Lauf hat noch nichts geloggt.</translation>
    </message>
    <message>
        <source>Clear filter</source>
        <translation>Filter löschen</translation>
    </message>
    <message>
        <source>1 line</source>
        <translation>1 Zeile</translation>
    </message>
    <message numerus="yes">
        <source>%Ln lines</source>
        <translation>
            <numerusform>%Ln Zeile</numerusform>
            <numerusform>%Ln Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source> (clock %1 min ahead)</source>
        <translation> (Uhr geht %1 min vor)</translation>
    </message>
    <message>
        <source> (clock %1 min behind)</source>
        <translation> (Uhr geht %1 min nach)</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Logs</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Stay at the last line</source>
        <translation>Bei der letzten Zeile bleiben</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>Regulärer Ausdruck</translation>
    </message>
    <message>
        <source>Take what is searched for as a regular expression, or as it is</source>
        <translation>Das Gesuchte als regulären Ausdruck nehmen oder so, wie es ist</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>This moment</source>
        <translation>Dieser Augenblick</translation>
    </message>
    <message>
        <source>Pin the time of the current line in all views</source>
        <translation>Die Zeit der aktuellen Zeile in allen Ansichten anpinnen</translation>
    </message>
    <message>
        <source>Open the log file, or the folder of all</source>
        <translation>Die Logdatei öffnen oder den Ordner aller</translation>
    </message>
    <message>
        <source>Another line</source>
        <translation>Andere Zeile</translation>
    </message>
    <message>
        <source>With Shift the lines between are selected, too</source>
        <translation>Mit Umschalt werden auch die Zeilen dazwischen ausgewählt</translation>
    </message>
    <message>
        <source>Select all lines</source>
        <translation>Alle Zeilen auswählen</translation>
    </message>
    <message>
        <source>%1 The lines are still chosen as before.</source>
        <translation>%1 Die Zeilen sind noch wie zuvor ausgewählt.</translation>
    </message>
    <message>
        <source>Search for it as plain text</source>
        <translation>Als einfachen Text suchen</translation>
    </message>
    <message>
        <source>There is no log file.</source>
        <translation>Es gibt keine Logdatei.</translation>
    </message>
    <message>
        <source>No line is shown.</source>
        <translation>Es wird keine Zeile gezeigt.</translation>
    </message>
    <message>
        <source>This run has logged nothing.</source>
        <translation>Dieser Lauf hat nichts geloggt.</translation>
    </message>
</context>
<context>
    <name>ui::MainWindow</name>
    <message>
        <source>Atelier</source>
        <translation>Atelier</translation>
    </message>
    <message>
        <source>Save this &amp;view…</source>
        <translation>Diese &amp;Ansicht speichern…</translation>
    </message>
    <message>
        <source>Keep what is drawn, and how, under a name</source>
        <translation>Was gezeichnet ist, und wie, unter einem Namen aufheben</translation>
    </message>
    <message>
        <source>Added to the queue.</source>
        <translation>In die Warteschlange eingereiht.</translation>
    </message>
    <message>
        <source>New experiment</source>
        <translation>Neues Experiment</translation>
    </message>
    <message>
        <source>Run the digits demo</source>
        <translation>Ziffern-Demo starten</translation>
    </message>
    <message>
        <source>Run the emoji demo</source>
        <translation>Emoji-Demo starten</translation>
    </message>
    <message>
        <source>Import runs…</source>
        <translation>Läufe importieren…</translation>
    </message>
    <message>
        <source>Starting the %1 demo…</source>
        <translation>Die Demo %1 wird gestartet…</translation>
    </message>
    <message>
        <source>Training continues after the window is closed. Open Atelier again to watch or stop it.</source>
        <translation>Das Training läuft weiter, wenn das Fenster geschlossen ist. Atelier wieder öffnen, um es zu beobachten oder zu stoppen.</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <source>&amp;New experiment…</source>
        <translation>&amp;Neues Experiment…</translation>
    </message>
    <message>
        <source>Fill in an experiment and start it</source>
        <translation>Ein Experiment ausfüllen und starten</translation>
    </message>
    <message>
        <source>&amp;Open experiment…</source>
        <translation>Experiment ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>Open an experiment file in the launch window</source>
        <translation>Eine Experimentdatei im Startfenster öffnen</translation>
    </message>
    <message>
        <source>Open an experiment</source>
        <translation>Experiment öffnen</translation>
    </message>
    <message>
        <source>Experiments (*.toml)</source>
        <translation>Experimente (*.toml)</translation>
    </message>
    <message>
        <source>Run the &amp;digits demo</source>
        <translation>&amp;Ziffern-Demo starten</translation>
    </message>
    <message>
        <source>Train a small model on handwritten digits, about two minutes</source>
        <translation>Ein kleines Modell mit handgeschriebenen Ziffern trainieren, etwa zwei Minuten</translation>
    </message>
    <message>
        <source>Run the &amp;emoji demo</source>
        <translation>&amp;Emoji-Demo starten</translation>
    </message>
    <message>
        <source>Train a small model to draw emoji from their names; the first images take some minutes</source>
        <translation>Ein kleines Modell trainieren, Emoji nach ihren Namen zu zeichnen; die ersten Bilder brauchen einige Minuten</translation>
    </message>
    <message>
        <source>D&amp;uplicate in the launch window</source>
        <translation>Im Startfenster dup&amp;lizieren</translation>
    </message>
    <message>
        <source>Fill in a new experiment with this run&apos;s options</source>
        <translation>Ein neues Experiment mit den Optionen dieses Laufs ausfüllen</translation>
    </message>
    <message>
        <source>Add to &amp;queue</source>
        <translation>In die &amp;Warteschlange</translation>
    </message>
    <message>
        <source>Resume or start the run when its turn in the queue has come</source>
        <translation>Den Lauf fortsetzen oder starten, wenn er in der Warteschlange an der Reihe ist</translation>
    </message>
    <message>
        <source>De&amp;bug package…</source>
        <translation>De&amp;bug-Paket…</translation>
    </message>
    <message>
        <source>Write one file about the run, without secrets, for whoever is to find out what went wrong</source>
        <translation>Eine Datei über den Lauf schreiben, ohne Geheimnisse, für den, der herausfinden soll, was schiefging</translation>
    </message>
    <message>
        <source>&amp;Import runs…</source>
        <translation>Läufe &amp;importieren…</translation>
    </message>
    <message>
        <source>Bring in runs that TensorBoard, Weights &amp; Biases or trackio have recorded</source>
        <translation>Läufe hereinholen, die TensorBoard, Weights &amp; Biases oder trackio aufgezeichnet haben</translation>
    </message>
    <message>
        <source>Pack into a fi&amp;le…</source>
        <translation>In eine Datei &amp;packen…</translation>
    </message>
    <message>
        <source>Write the run with all its files to one archive, a plain tar file</source>
        <translation>Den Lauf mit allen Dateien in ein Archiv schreiben, eine einfache tar-Datei</translation>
    </message>
    <message>
        <source>Bring in a run that was packed, here or elsewhere</source>
        <translation>Einen Lauf hereinholen, der hier oder anderswo gepackt wurde</translation>
    </message>
    <message>
        <source>Disk &amp;usage…</source>
        <translation>&amp;Speicherbelegung…</translation>
    </message>
    <message>
        <source>Show what occupies the disk, by run and kind of file, and make room</source>
        <translation>Zeigen, was die Platte belegt, nach Lauf und Dateiart, und Platz schaffen</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>Close the window; training continues</source>
        <translation>Das Fenster schließen; das Training läuft weiter</translation>
    </message>
    <message>
        <source>Re&amp;load</source>
        <translation>&amp;Neu laden</translation>
    </message>
    <message>
        <source>Read all run folders again</source>
        <translation>Alle Laufordner neu lesen</translation>
    </message>
    <message>
        <source>&amp;Notifications</source>
        <translation>&amp;Benachrichtigungen</translation>
    </message>
    <message>
        <source>Let the desktop tell when a run ends or hangs while another window is in front</source>
        <translation>Den Desktop melden lassen, wenn ein Lauf endet oder hängt, während ein anderes Fenster vorn ist</translation>
    </message>
    <message>
        <source>Tell a &amp;web address…</source>
        <translation>&amp;Webadresse benachrichtigen…</translation>
    </message>
    <message>
        <source>Send a message to a chat or a program when a run finishes, fails or hangs</source>
        <translation>Eine Nachricht an einen Chat oder ein Programm senden, wenn ein Lauf endet, fehlschlägt oder hängt</translation>
    </message>
    <message>
        <source>&amp;Manual</source>
        <translation>&amp;Handbuch</translation>
    </message>
    <message>
        <source>Open the page about what has the focus</source>
        <translation>Die Seite zu dem öffnen, was den Fokus hat</translation>
    </message>
    <message>
        <source>Palette…</source>
        <translation>Palette…</translation>
    </message>
    <message>
        <source>Find an action, a run, a metric or an option by some of its letters</source>
        <translation>Aktion, Lauf, Metrik oder Option mit einigen ihrer Buchstaben finden</translation>
    </message>
    <message>
        <source>&amp;Keys…</source>
        <translation>&amp;Tasten…</translation>
    </message>
    <message>
        <source>List all actions with their keys, and give them others</source>
        <translation>Alle Aktionen mit ihren Tasten auflisten und ihnen andere geben</translation>
    </message>
    <message>
        <source>&amp;About Atelier</source>
        <translation>&amp;Über Atelier</translation>
    </message>
    <message>
        <source>Version and licence</source>
        <translation>Version und Lizenz</translation>
    </message>
    <message>
        <source>&amp;Plots</source>
        <translation>&amp;Kurven</translation>
    </message>
    <message>
        <source>&amp;Samples</source>
        <translation>&amp;Samples</translation>
    </message>
    <message>
        <source>&amp;Checkpoints</source>
        <translation>&amp;Checkpoints</translation>
    </message>
    <message>
        <source>Co&amp;mpare</source>
        <translation>&amp;Vergleich</translation>
    </message>
    <message>
        <source>Da&amp;ta</source>
        <translation>&amp;Daten</translation>
    </message>
    <message>
        <source>&amp;Runs dock</source>
        <translation>&amp;Läufe-Dock</translation>
    </message>
    <message>
        <source>Show or hide the runs</source>
        <translation>Die Läufe ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Ne&amp;xt part of the window</source>
        <translation>Nächster Fens&amp;terteil</translation>
    </message>
    <message>
        <source>Move the focus to the next dock or tab</source>
        <translation>Den Fokus auf das nächste Dock oder den nächsten Reiter setzen</translation>
    </message>
    <message>
        <source>Prev&amp;ious part of the window</source>
        <translation>Vo&amp;rheriger Fensterteil</translation>
    </message>
    <message>
        <source>Move the focus to the dock or tab before</source>
        <translation>Den Fokus auf das vorherige Dock oder den vorherigen Reiter setzen</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>Vollb&amp;ild</translation>
    </message>
    <message>
        <source>&amp;Find</source>
        <translation>&amp;Finden</translation>
    </message>
    <message>
        <source>Find a text in names, notes, tags, options, errors and logs</source>
        <translation>Einen Text in Namen, Notizen, Tags, Optionen, Fehlern und Logs finden</translation>
    </message>
    <message>
        <source>C&amp;olumns of the runs…</source>
        <translation>S&amp;palten der Läufe…</translation>
    </message>
    <message>
        <source>Choose which options and metrics the runs table shows</source>
        <translation>Wählen, welche Optionen und Metriken die Tabelle der Läufe zeigt</translation>
    </message>
    <message>
        <source>Show &amp;archived runs</source>
        <translation>Archivierte Läufe &amp;zeigen</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Lauf</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Docks and toolbars</source>
        <translation>D&amp;ocks und Leisten</translation>
    </message>
    <message>
        <source>App&amp;earance</source>
        <translation>&amp;Erscheinungsbild</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>Sprac&amp;he</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Same as the &amp;system</source>
        <translation>Wie das &amp;System</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>The window speaks this language when it is next opened.</source>
        <translation>Das Fenster spricht diese Sprache, wenn es das nächste Mal geöffnet wird.</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>New</source>
        <translation>Neu</translation>
    </message>
    <message>
        <source>No run is selected.</source>
        <translation>Kein Lauf ausgewählt.</translation>
    </message>
    <message>
        <source>%1 was imported: another program has recorded it, so there is no experiment to repeat.</source>
        <translation>%1 wurde importiert: Ein anderes Programm hat ihn aufgezeichnet, es gibt also kein Experiment zum Wiederholen.</translation>
    </message>
    <message>
        <source>About Atelier</source>
        <translation>Über Atelier</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Atelier %1&lt;/h3&gt;A workbench for post-training diffusion models.&lt;p&gt;The sources are under the Apache License 2.0. This program, with QCustomPlot in it, is under the GNU General Public License 3.</source>
        <translation>&lt;h3&gt;Atelier %1&lt;/h3&gt;Eine Werkbank für das Nachtraining von Diffusionsmodellen.&lt;p&gt;Der Quelltext steht unter der Apache License 2.0. Dieses Programm, in dem QCustomPlot steckt, steht unter der GNU General Public License 3.</translation>
    </message>
    <message>
        <source>Unpack a run</source>
        <translation>Lauf auspacken</translation>
    </message>
    <message>
        <source>Packed runs (*.tar);;All files (*)</source>
        <translation>Gepackte Läufe (*.tar);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Views</source>
        <translation>Ansichten</translation>
    </message>
    <message>
        <source>Plots</source>
        <translation>Kurven</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Samples</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>Inspektor</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Logs</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>Find metrics</source>
        <translation>Metriken finden</translation>
    </message>
    <message>
        <source>Find metrics of the drawn runs and choose which have a plot</source>
        <translation>Metriken der gezeichneten Läufe finden und wählen, welche ein Diagramm haben</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Open another &amp;machine…</source>
        <translation>Anderen &amp;Rechner öffnen…</translation>
    </message>
    <message>
        <source>Show the runs of another machine, through SSH, in a window of their own</source>
        <translation>Die Läufe eines anderen Rechners über SSH in einem eigenen Fenster zeigen</translation>
    </message>
    <message>
        <source>Opening a window on %1…</source>
        <translation>Ein Fenster auf %1 wird geöffnet…</translation>
    </message>
    <message>
        <source>This window shows the runs of %1. Do this there, or in a window on this machine&apos;s runs.</source>
        <translation>Dieses Fenster zeigt die Läufe von %1. Das geht dort oder in einem Fenster mit den Läufen dieses Rechners.</translation>
    </message>
    <message>
        <source>Unpac&amp;k a run…</source>
        <translation>Lauf aus&amp;packen…</translation>
    </message>
    <message>
        <source>Searc&amp;h in all runs…</source>
        <translation>In &amp;allen Läufen suchen…</translation>
    </message>
    <message>
        <source>There are no runs on %1 yet.</source>
        <translation>Auf %1 gibt es noch keine Läufe.</translation>
    </message>
    <message>
        <source>The runs of %1 have not been read yet.</source>
        <translation>Die Läufe von %1 sind noch nicht gelesen.</translation>
    </message>
    <message>
        <source>Show the newest run</source>
        <translation>Den neuesten Lauf zeigen</translation>
    </message>
    <message>
        <source>Show the run that was prepared last</source>
        <translation>Zeigt den Lauf, der zuletzt vorbereitet wurde</translation>
    </message>
    <message>
        <source>%1 was changed in the queue.</source>
        <translation>%1 wurde in der Warteschlange geändert.</translation>
    </message>
    <message>
        <source>Edit in the queue…</source>
        <translation>In der Warteschlange bearbeiten…</translation>
    </message>
    <message>
        <source>Change the experiment of a run that waits in the queue; it keeps its place</source>
        <translation>Das Experiment eines wartenden Laufs ändern; er behält seinen Platz</translation>
    </message>
    <message>
        <source>Alerts…</source>
        <translation>Meldungen…</translation>
    </message>
    <message>
        <source>List what has happened in all runs: ends, failures, stalls, rules that fired, a full disk</source>
        <translation>Zeigt, was in allen Läufen geschehen ist: Enden, Fehler, Hänger, Regeln, die angeschlagen haben, eine volle Festplatte</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Find in what has the focus: lines, rows, metrics, prompts, captions; elsewhere filter the runs</source>
        <translation>Sucht in dem, was den Fokus hat: Zeilen, Metriken, Prompts, Bildtexte; sonst werden die Läufe gefiltert</translation>
    </message>
    <message>
        <source>Find next</source>
        <translation>Nächste Stelle</translation>
    </message>
    <message>
        <source>Go to the next line, row or picture that was found</source>
        <translation>Geht zur nächsten gefundenen Zeile oder zum nächsten Bild</translation>
    </message>
    <message>
        <source>Find previous</source>
        <translation>Vorige Stelle</translation>
    </message>
    <message>
        <source>Go to the one before</source>
        <translation>Geht zur Fundstelle davor</translation>
    </message>
    <message>
        <source>Sort by…</source>
        <translation>Sortieren nach…</translation>
    </message>
    <message>
        <source>Choose the column by which the table that has the focus is sorted</source>
        <translation>Wählt die Spalte, nach der die Tabelle mit dem Fokus sortiert wird</translation>
    </message>
    <message>
        <source>Nothing can be sorted here: go to a table first, with Tab or F6.</source>
        <translation>Hier lässt sich nichts sortieren: erst mit Tab oder F6 zu einer Tabelle gehen.</translation>
    </message>
    <message>
        <source>Draw the newest run</source>
        <translation>Den neuesten Lauf zeichnen</translation>
    </message>
    <message>
        <source>Draw the two newest runs</source>
        <translation>Die zwei neuesten Läufe zeichnen</translation>
    </message>
    <message>
        <source>Launch window</source>
        <translation>Startfenster</translation>
    </message>
    <message>
        <source>No launch window is open: fill in a new experiment first.</source>
        <translation>Kein Startfenster ist offen: zuerst ein neues Experiment ausfüllen.</translation>
    </message>
    <message>
        <source>Draw or hide</source>
        <translation>Zeichnen oder ausblenden</translation>
    </message>
    <message>
        <source>Draw the selected runs in the plots, or hide them</source>
        <translation>Die ausgewählten Läufe in den Kurven zeichnen oder ausblenden</translation>
    </message>
    <message>
        <source>In a table</source>
        <translation>In einer Tabelle</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the selected rows with the header, separated by tabs, numbers with all their digits</source>
        <translation>Die ausgewählten Zeilen mit der Kopfzeile kopieren, durch Tabulatoren getrennt, Zahlen mit allen Stellen</translation>
    </message>
    <message>
        <source>Menu of the current row</source>
        <translation>Menü der aktuellen Zeile</translation>
    </message>
    <message>
        <source>Show what can be done with it</source>
        <translation>Zeigen, was sich mit ihr tun lässt</translation>
    </message>
    <message>
        <source>Next field or button</source>
        <translation>Nächstes Feld oder nächste Schaltfläche</translation>
    </message>
    <message>
        <source>Also where several lines can be typed</source>
        <translation>Auch dort, wo sich mehrere Zeilen tippen lassen</translation>
    </message>
    <message>
        <source>In a field that finds</source>
        <translation>In einem Suchfeld</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Back to what is searched</source>
        <translation>Zurück zum Durchsuchten</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>Handbuch</translation>
    </message>
    <message>
        <source>Back and forward</source>
        <translation>Zurück und vorwärts</translation>
    </message>
    <message>
        <source>Find on this page</source>
        <translation>Auf dieser Seite finden</translation>
    </message>
    <message>
        <source>Show the dock and go there</source>
        <translation>Das Dock zeigen und dorthin wechseln</translation>
    </message>
    <message>
        <source>Appearance: %1</source>
        <translation>Erscheinungsbild: %1</translation>
    </message>
    <message>
        <source>In effect at once</source>
        <translation>Wirkt sofort</translation>
    </message>
    <message>
        <source>Language: %1</source>
        <translation>Sprache: %1</translation>
    </message>
    <message>
        <source>In effect when Atelier is next opened</source>
        <translation>Wirkt, wenn Atelier das nächste Mal geöffnet wird</translation>
    </message>
</context>
<context>
    <name>ui::ManualWindow</name>
    <message>
        <source>Manual – Atelier</source>
        <translation>Handbuch – Atelier</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>Handbuch</translation>
    </message>
    <message>
        <source>Find on this page</source>
        <translation>Auf dieser Seite finden</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>The list of all pages</source>
        <translation>Die Liste aller Seiten</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>The manual is not complete: %1 is missing. Install Atelier again.</source>
        <translation>Das Handbuch ist unvollständig: %1 fehlt. Atelier neu installieren.</translation>
    </message>
    <message>
        <source>Not on this page  </source>
        <translation>Nicht auf dieser Seite  </translation>
    </message>
</context>
<context>
    <name>ui::MetricBrowser</name>
    <message>
        <source>Find metrics: loss, gnrm, time fwd</source>
        <translation>Metriken finden: loss, gnrm, time fwd</translation>
    </message>
    <message>
        <source>Find metrics</source>
        <translation>Metriken finden</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>Show plots</source>
        <translation>Diagramme zeigen</translation>
    </message>
    <message>
        <source>Hide plots</source>
        <translation>Diagramme ausblenden</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>Draw the plots that are drawn while nothing has been chosen</source>
        <translation>Die Diagramme zeichnen, die ohne eigene Wahl gezeichnet werden</translation>
    </message>
    <message>
        <source>Draw a run to see its metrics.</source>
        <translation>Ein gezeichneter Lauf zeigt hier seine Metriken.</translation>
    </message>
    <message>
        <source>0 of 1 metric matches.</source>
        <translation>0 von 1 Metrik passt.</translation>
    </message>
    <message numerus="yes">
        <source>0 of %Ln metrics match.</source>
        <translation>
            <numerusform>0 von %Ln Metrik passt.</numerusform>
            <numerusform>0 von %Ln Metriken passen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Clear filter</source>
        <translation>Filter löschen</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 of %2 drawn</source>
        <translation>%1 von %2 gezeichnet</translation>
    </message>
    <message>
        <source>Add to plot</source>
        <translation>Zum Diagramm hinzufügen</translation>
    </message>
    <message>
        <source>Draw the selected metrics in a plot that there is</source>
        <translation>Die ausgewählten Metriken in ein vorhandenes Diagramm zeichnen</translation>
    </message>
    <message>
        <source>Draw a plot of each selected metric</source>
        <translation>Ein Diagramm jeder ausgewählten Metrik zeichnen</translation>
    </message>
    <message>
        <source>Do not draw the selected metrics</source>
        <translation>Die ausgewählten Metriken nicht zeichnen</translation>
    </message>
    <message>
        <source>Add to plot…</source>
        <translation>Zum Diagramm hinzufügen…</translation>
    </message>
    <message>
        <source>Default metrics</source>
        <translation>Vorgegebene Metriken</translation>
    </message>
    <message>
        <source>Show or hide plots</source>
        <translation>Diagramme zeigen oder ausblenden</translation>
    </message>
    <message>
        <source>Tick all selected metrics, or none</source>
        <translation>Alle ausgewählten Metriken ankreuzen oder keine</translation>
    </message>
    <message>
        <source>Select metrics first.</source>
        <translation>Zuerst Metriken auswählen.</translation>
    </message>
</context>
<context>
    <name>ui::MetricExport</name>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 kann nicht geschrieben werden: %2</translation>
    </message>
</context>
<context>
    <name>ui::MetricExportDialog</name>
    <message numerus="yes">
        <source>Export the metrics of %Ln runs</source>
        <translation>
            <numerusform>Metriken von %Ln Lauf exportieren</numerusform>
            <numerusform>Metriken von %Ln Läufen exportieren</numerusform>
        </translation>
    </message>
    <message>
        <source>Comma-separated values</source>
        <translation>Kommagetrennte Werte</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>TensorBoard</source>
        <translation>TensorBoard</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
    <message>
        <source>Choose the folder</source>
        <translation>Den Ordner wählen</translation>
    </message>
    <message>
        <source>&amp;Format</source>
        <translation>&amp;Format</translation>
    </message>
    <message>
        <source>Fo&amp;lder</source>
        <translation>&amp;Ordner</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>%1 is there already. Choose another folder.</source>
        <translation>%1 gibt es schon. Einen anderen Ordner wählen.</translation>
    </message>
    <message numerus="yes">
        <source>The metrics of %Ln runs were written to %1.</source>
        <translation>
            <numerusform>Die Metriken von %Ln Lauf wurden nach %1 geschrieben.</numerusform>
            <numerusform>Die Metriken von %Ln Läufen wurden nach %1 geschrieben.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::MetricTree</name>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>Bedeutung</translation>
    </message>
</context>
<context>
    <name>ui::MoreStepsDialog</name>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>%1 has completed all of its %2 steps.</source>
        <translation>%1 hat alle seine %2 Schritte abgeschlossen.</translation>
    </message>
    <message>
        <source>%1 runs have completed all of their steps.</source>
        <translation>%1 Läufe haben alle ihre Schritte abgeschlossen.</translation>
    </message>
    <message>
        <source>It then ends at step %1.</source>
        <translation>Er endet dann bei Schritt %1.</translation>
    </message>
    <message>
        <source>Steps to add:</source>
        <translation>Zusätzliche Schritte:</translation>
    </message>
    <message>
        <source>Steps to add to each:</source>
        <translation>Zusätzliche Schritte für jeden:</translation>
    </message>
</context>
<context>
    <name>ui::NumbersModel</name>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>%1, smoothed</source>
        <translation>%1, geglättet</translation>
    </message>
</context>
<context>
    <name>ui::OptionField</name>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;%2&lt;br&gt;%3, default %4</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;%2&lt;br&gt;%3, Vorgabe %4</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <translation>%1 zurücksetzen</translation>
    </message>
    <message>
        <source>Reset to the default, %1</source>
        <translation>Auf die Vorgabe %1 zurücksetzen</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Ordner wählen</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Datei wählen</translation>
    </message>
    <message>
        <source>Choose a folder: %1</source>
        <translation>Ordner wählen: %1</translation>
    </message>
    <message>
        <source>Choose a file: %1</source>
        <translation>Datei wählen: %1</translation>
    </message>
    <message>
        <source>%1 values: a run for each is queued</source>
        <translation>%1 Werte: für jeden kommt ein Lauf in die Warteschlange</translation>
    </message>
    <message>
        <source>Several values: %1</source>
        <translation>Mehrere Werte: %1</translation>
    </message>
</context>
<context>
    <name>ui::OptionForm</name>
    <message>
        <source>Advanced options</source>
        <translation>Erweiterte Optionen</translation>
    </message>
    <message>
        <source>No option matches.</source>
        <translation>Keine Option passt.</translation>
    </message>
    <message>
        <source>Search options by name or meaning</source>
        <translation>Optionen nach Name oder Bedeutung suchen</translation>
    </message>
    <message>
        <source>Search options</source>
        <translation>Optionen suchen</translation>
    </message>
    <message>
        <source>The text beside the form cannot be read, so options cannot be changed here. They show the last values that could be read.</source>
        <translation>Der Text neben dem Formular ist nicht lesbar, daher lassen sich Optionen hier nicht ändern. Sie zeigen die letzten lesbaren Werte.</translation>
    </message>
    <message>
        <source>Show the error</source>
        <translation>Fehler zeigen</translation>
    </message>
    <message>
        <source>Discard the text&apos;s changes</source>
        <translation>Änderungen im Text verwerfen</translation>
    </message>
    <message>
        <source>Bring back the last text that could be read. Undo in the text takes this back.</source>
        <translation>Den letzten lesbaren Text zurückholen. Rückgängig im Text macht das ungeschehen.</translation>
    </message>
</context>
<context>
    <name>ui::OptionWords</name>
    <message>
        <source>“%1”</source>
        <translation>„%1“</translation>
    </message>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>Only has an effect if %1 is %2</source>
        <translation>Wirkt nur, wenn %1 gleich %2 ist</translation>
    </message>
    <message>
        <source> or </source>
        <translation> oder </translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>(leer)</translation>
    </message>
</context>
<context>
    <name>ui::Overview</name>
    <message>
        <source>, finished</source>
        <translation>, beendet</translation>
    </message>
    <message>
        <source>, stopped</source>
        <translation>, gestoppt</translation>
    </message>
    <message>
        <source>, failed</source>
        <translation>, fehlgeschlagen</translation>
    </message>
    <message>
        <source>%1: steps %2 to %3%4</source>
        <translation>%1: Schritte %2 bis %3%4</translation>
    </message>
    <message>
        <source>%1 repeats steps %2 to %3 of %4 with identical values</source>
        <translation>%1 wiederholt die Schritte %2 bis %3 von %4 mit identischen Werten</translation>
    </message>
    <message>
        <source>%1 differs from %2 from step %3 on: %4 is %5 instead of %6</source>
        <translation>%1 weicht ab Schritt %3 von %2 ab: %4 ist %5 statt %6</translation>
    </message>
    <message>
        <source>%1 in the largest process</source>
        <translation>%1 im größten Prozess</translation>
    </message>
    <message>
        <source>%1, and %2 of mapped files</source>
        <translation>%1 und %2 eingeblendete Dateien</translation>
    </message>
    <message>
        <source>%1 TFLOP/s per rank</source>
        <translation>%1 TFLOP/s je Rank</translation>
    </message>
    <message>
        <source>%1, %2 of the device&apos;s peak</source>
        <translation>%1, %2 der Spitze des Geräts</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>What went wrong…</source>
        <translation>Was schiefging…</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Continue this run from its latest checkpoint, or from the beginning if it has none</source>
        <translation>Diesen Lauf ab seinem neuesten Checkpoint fortsetzen, oder von vorn, wenn er keinen hat</translation>
    </message>
    <message>
        <source>Show which rank failed first, its last words and what the others did</source>
        <translation>Zeigen, welcher Rank zuerst ausfiel, seine letzten Zeilen und was die anderen taten</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Runs in</source>
        <translation>Läuft in</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Validation loss</source>
        <translation>Validierungs-Loss</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Images per second</source>
        <translation>Bilder pro Sekunde</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Rechenleistung</translation>
    </message>
    <message>
        <source>Skipped steps</source>
        <translation>Übersprungene Schritte</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>Restzeit</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Gestartet</translation>
    </message>
    <message>
        <source>Last record</source>
        <translation>Letzter Eintrag</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Sample images</source>
        <translation>Beispielbilder</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>ID</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>Wartet auf: %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 of the samples show what was asked for</source>
        <translation>%1 der Samples zeigen, was verlangt war</translation>
    </message>
    <message>
        <source>A small classifier looked at them. Of real images that it had not seen before, it recognises %1.</source>
        <translation>Ein kleiner Klassifikator hat sie angesehen. Von echten Bildern, die er nie gesehen hat, erkennt er %1.</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>Results that attempts recorded at the same steps, compared bit by bit</source>
        <translation>Ergebnisse, die Versuche bei denselben Schritten aufgezeichnet haben, Bit für Bit verglichen</translation>
    </message>
    <message>
        <source>%1 for the steps, %2 so far</source>
        <translation>%1 für die Schritte, bisher %2</translation>
    </message>
    <message>
        <source>%1 for the steps, was %2</source>
        <translation>%1 für die Schritte, waren %2</translation>
    </message>
    <message>
        <source>%1 of memory, %2 so far</source>
        <translation>%1 Speicher, bisher %2</translation>
    </message>
    <message>
        <source>%1 of memory, was %2</source>
        <translation>%1 Speicher, waren %2</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>Prognose</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>Gewartet</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>noch nicht</translation>
    </message>
    <message>
        <source>%1 so far</source>
        <translation>bisher %1</translation>
    </message>
    <message>
        <source>From %1, when the attempt was prepared, until its ranks started: in the queue, in Slurm&apos;s, or for somebody who started it</source>
        <translation>Von %1, als der Versuch vorbereitet wurde, bis seine Ranks starteten: in der Warteschlange, in der von Slurm, oder auf jemanden, der ihn startet</translation>
    </message>
    <message>
        <source>Show ranks…</source>
        <translation>Ranks zeigen…</translation>
    </message>
    <message>
        <source>Show which rank is furthest behind, its last words and what each process does</source>
        <translation>Zeigt, welcher Rank am weitesten zurück ist, seine letzten Worte und was jeder Prozess tut</translation>
    </message>
    <message>
        <source>%1 of memory without activations, %2 so far</source>
        <translation>%1 Speicher ohne Aktivierungen, bisher %2</translation>
    </message>
    <message>
        <source>%1 of memory without activations, was %2</source>
        <translation>%1 Speicher ohne Aktivierungen, waren %2</translation>
    </message>
    <message>
        <source>%1 of checkpoints, %2 so far</source>
        <translation>%1 Checkpoints, bisher %2</translation>
    </message>
    <message>
        <source>%1 of checkpoints, was %2</source>
        <translation>%1 Checkpoints, waren %2</translation>
    </message>
    <message>
        <source>Memory is that of the largest rank. A time was said by a trial before the start and is that of the steps alone: the start, samples, checkpoints and validation come on top.</source>
        <translation>Der Speicher ist der des größten Ranks. Eine Zeit stammt von einem Probelauf vor dem Start und ist die der Schritte allein: Start, Samples, Checkpoints und Validierung kommen hinzu.</translation>
    </message>
    <message>
        <source>%1; only these %2 steps were compared</source>
        <translation>%1; nur diese %2 Schritte wurden verglichen</translation>
    </message>
    <message>
        <source>Reward</source>
        <translation>Reward</translation>
    </message>
    <message>
        <source>Resumed</source>
        <translation>Fortgesetzt</translation>
    </message>
</context>
<context>
    <name>ui::PacedQuery</name>
    <message>
        <source>Reading was cancelled.</source>
        <translation>Das Lesen wurde abgebrochen.</translation>
    </message>
</context>
<context>
    <name>ui::PackDialog</name>
    <message>
        <source>Pack %1</source>
        <translation>%1 packen</translation>
    </message>
    <message>
        <source>Everything about the run goes into one file, a plain tar archive with checksums: options, metrics, logs, samples, and:</source>
        <translation>Alles über den Lauf kommt in eine Datei, ein einfaches tar-Archiv mit Prüfsummen: Optionen, Metriken, Logs, Samples und:</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>&amp;All checkpoints</source>
        <translation>&amp;Alle Checkpoints</translation>
    </message>
    <message>
        <source>Only the &amp;last checkpoint</source>
        <translation>Nur der &amp;letzte Checkpoint</translation>
    </message>
    <message>
        <source>&amp;No checkpoint</source>
        <translation>&amp;Kein Checkpoint</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Save the packed run</source>
        <translation>Gepackten Lauf speichern</translation>
    </message>
    <message>
        <source>Packed runs (*.tar)</source>
        <translation>Gepackte Läufe (*.tar)</translation>
    </message>
    <message>
        <source>Written to %1.</source>
        <translation>Nach %1 geschrieben.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
</context>
<context>
    <name>ui::PairView</name>
    <message>
        <source>Sample of the shown run</source>
        <translation>Sample des gezeigten Laufs</translation>
    </message>
    <message>
        <source>Sample of the other run</source>
        <translation>Sample des anderen Laufs</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>× %1</source>
        <translation>× %1</translation>
    </message>
    <message>
        <source>Amplification of the difference</source>
        <translation>Verstärkung der Differenz</translation>
    </message>
    <message>
        <source>How much the difference is amplified</source>
        <translation>Wie stark die Differenz verstärkt wird</translation>
    </message>
    <message>
        <source>The images are identical.</source>
        <translation>Die Bilder sind identisch.</translation>
    </message>
    <message>
        <source>Mean difference %1 of 255, largest %2; %3 of the pixels differ.</source>
        <translation>Mittlere Differenz %1 von 255, größte %2; %3 der Pixel unterscheiden sich.</translation>
    </message>
    <message>
        <source>No difference: the images have %1 × %2 and %3 × %4 pixels.</source>
        <translation>Keine Differenz: Die Bilder haben %1 × %2 und %3 × %4 Pixel.</translation>
    </message>
</context>
<context>
    <name>ui::Palette</name>
    <message>
        <source>Palette</source>
        <translation>Palette</translation>
    </message>
    <message>
        <source>Find an action, run, metric or option</source>
        <translation>Aktion, Lauf, Metrik oder Option finden</translation>
    </message>
    <message>
        <source>What matches</source>
        <translation>Was passt</translation>
    </message>
    <message>
        <source>Nothing matches.</source>
        <translation>Nichts passt.</translation>
    </message>
    <message>
        <source>%1 more match.</source>
        <translation>%1 weitere passen.</translation>
    </message>
    <message>
        <source>&gt; finds only actions, @ runs, # metrics, : options.</source>
        <translation>&gt; findet nur Aktionen, @ Läufe, # Metriken, : Optionen.</translation>
    </message>
</context>
<context>
    <name>ui::PaletteModel</name>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Option</source>
        <translation>Option</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
</context>
<context>
    <name>ui::ParameterTable</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Option</source>
        <translation>Option</translation>
    </message>
    <message>
        <source>This run</source>
        <translation>Dieser Lauf</translation>
    </message>
    <message>
        <source>Compared with</source>
        <translation>Verglichen mit</translation>
    </message>
</context>
<context>
    <name>ui::ParametersView</name>
    <message>
        <source>Filter options</source>
        <translation>Optionen filtern</translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation>Konfiguration</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>Compared with</source>
        <translation>Verglichen mit</translation>
    </message>
    <message>
        <source>Difference from the defaults</source>
        <translation>Unterschied zu den Vorgaben</translation>
    </message>
    <message>
        <source>Difference from attempt %1</source>
        <translation>Unterschied zu Versuch %1</translation>
    </message>
    <message>
        <source>The options of this run have not been read yet.</source>
        <translation>Die Optionen dieses Laufs sind noch nicht gelesen.</translation>
    </message>
    <message>
        <source>The defaults of an imported run are not known.</source>
        <translation>Die Vorgaben eines importierten Laufs sind nicht bekannt.</translation>
    </message>
    <message>
        <source>No parameters of this run were recorded.</source>
        <translation>Von diesem Lauf wurden keine Parameter aufgezeichnet.</translation>
    </message>
    <message>
        <source>No option differs.</source>
        <translation>Keine Option unterscheidet sich.</translation>
    </message>
</context>
<context>
    <name>ui::PartsChart</name>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>%1, up to %2</source>
        <translation>%1, bis zu %2</translation>
    </message>
    <message>
        <source>%n bar is higher</source>
        <translation>%n Balken ist höher</translation>
    </message>
    <message numerus="yes">
        <source>%Ln bars are higher</source>
        <translation>
            <numerusform>%Ln Balken ist höher</numerusform>
            <numerusform>%Ln Balken sind höher</numerusform>
        </translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>Steps %1 to %2, mean</source>
        <translation>Schritte %1 bis %2, Mittel</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Together: %1</source>
        <translation>Zusammen: %1</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>Zusammen</translation>
    </message>
    <message>
        <source>%1 %2, mean</source>
        <translation>%1 %2, Mittel</translation>
    </message>
</context>
<context>
    <name>ui::PartsLegend</name>
    <message>
        <source>%1 %2</source>
        <comment>a part and its share of the time</comment>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>ui::PlanBarDelegate</name>
    <message>
        <source>?</source>
        <translation>?</translation>
    </message>
</context>
<context>
    <name>ui::PlanHeader</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 min</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 h</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 d</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
</context>
<context>
    <name>ui::PlotActions</name>
    <message>
        <source>Plots</source>
        <translation>Kurven</translation>
    </message>
    <message>
        <source>In a plot</source>
        <translation>In einem Diagramm</translation>
    </message>
    <message>
        <source>Move earlier</source>
        <translation>Nach vorn</translation>
    </message>
    <message>
        <source>Change places with the plot before</source>
        <translation>Mit dem vorigen Diagramm den Platz tauschen</translation>
    </message>
    <message>
        <source>Move later</source>
        <translation>Nach hinten</translation>
    </message>
    <message>
        <source>Change places with the plot after it</source>
        <translation>Mit dem folgenden Diagramm den Platz tauschen</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Do not show this plot until hidden plots are shown again</source>
        <translation>Dieses Diagramm nicht zeigen, bis ausgeblendete Diagramme wieder gezeigt werden</translation>
    </message>
    <message>
        <source>Show hidden plots</source>
        <translation>Ausgeblendete Diagramme zeigen</translation>
    </message>
    <message>
        <source>Show the plots that were hidden</source>
        <translation>Die ausgeblendeten Diagramme zeigen</translation>
    </message>
    <message>
        <source>Default metrics</source>
        <translation>Vorgegebene Metriken</translation>
    </message>
    <message>
        <source>Draw the plots that are drawn while nothing has been chosen</source>
        <translation>Die Diagramme zeichnen, die ohne eigene Wahl gezeichnet werden</translation>
    </message>
    <message>
        <source>Group…</source>
        <translation>Gruppe…</translation>
    </message>
    <message>
        <source>Draw runs that are equal in an option, the project or the tags as one line: their mean, with a band</source>
        <translation>Läufe, die in einer Option, im Projekt oder in den Tags gleich sind, als eine Linie zeichnen: ihr Mittel mit einem Band</translation>
    </message>
    <message>
        <source>Save all plots…</source>
        <translation>Alle Diagramme speichern…</translation>
    </message>
    <message>
        <source>Save all plots as one picture</source>
        <translation>Alle Diagramme als ein Bild speichern</translation>
    </message>
    <message>
        <source>Copy all plots</source>
        <translation>Alle Diagramme kopieren</translation>
    </message>
    <message>
        <source>Copy all plots as one picture</source>
        <translation>Alle Diagramme als ein Bild kopieren</translation>
    </message>
    <message>
        <source>There is no plot: draw a run.</source>
        <translation>Es gibt kein Diagramm: einen Lauf zeichnen.</translation>
    </message>
    <message>
        <source>Only plots of the tab Plots can be moved and hidden.</source>
        <translation>Nur Diagramme des Reiters Kurven lassen sich verschieben und ausblenden.</translation>
    </message>
    <message>
        <source>No plot is hidden.</source>
        <translation>Kein Diagramm ist ausgeblendet.</translation>
    </message>
    <message>
        <source>Nothing else was looked at before.</source>
        <translation>Vorher wurde nichts anderes betrachtet.</translation>
    </message>
    <message>
        <source>Nothing else was looked at after this.</source>
        <translation>Danach wurde nichts anderes betrachtet.</translation>
    </message>
    <message>
        <source>Click on a step in a plot first: that pins it.</source>
        <translation>Zuerst in einem Diagramm auf einen Schritt klicken: Das pinnt ihn an.</translation>
    </message>
</context>
<context>
    <name>ui::PlotCanvas</name>
    <message>
        <source>1 group of runs</source>
        <translation>1 Gruppe von Läufen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln groups of runs</source>
        <translation>
            <numerusform>%Ln Gruppe von Läufen</numerusform>
            <numerusform>%Ln Gruppen von Läufen</numerusform>
        </translation>
    </message>
    <message>
        <source>1 run</source>
        <translation>1 Lauf</translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs</source>
        <translation>
            <numerusform>%Ln Lauf</numerusform>
            <numerusform>%Ln Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, no points</source>
        <translation>%1, keine Punkte</translation>
    </message>
    <message>
        <source>%1, %2, step %3 to %4, last %5</source>
        <translation>%1, %2, Schritt %3 bis %4, zuletzt %5</translation>
    </message>
</context>
<context>
    <name>ui::PlotFeed</name>
    <message>
        <source>Reading was cancelled.</source>
        <translation>Das Lesen wurde abgebrochen.</translation>
    </message>
</context>
<context>
    <name>ui::PlotGrid</name>
    <message>
        <source>plots</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>Save %1 as a picture</source>
        <translation>%1 als Bild speichern</translation>
    </message>
    <message>
        <source>Saved to %1.</source>
        <translation>Nach %1 gespeichert.</translation>
    </message>
    <message>
        <source>Copied all plots as a picture.</source>
        <translation>Alle Diagramme als Bild kopiert.</translation>
    </message>
    <message>
        <source>Copied %1 as a picture.</source>
        <translation>%1 als Bild kopiert.</translation>
    </message>
</context>
<context>
    <name>ui::PlotImage</name>
    <message>
        <source>x: %1</source>
        <translation>x: %1</translation>
    </message>
    <message>
        <source>smoothing: %1, %2 steps</source>
        <translation>Glättung: %1, %2 Schritte</translation>
    </message>
    <message>
        <source>thinned</source>
        <translation>ausgedünnt</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 kann nicht geschrieben werden: %2</translation>
    </message>
    <message>
        <source>PNG picture (*.png);;SVG drawing (*.svg);;PDF document (*.pdf)</source>
        <translation>PNG-Bild (*.png);;SVG-Zeichnung (*.svg);;PDF-Dokument (*.pdf)</translation>
    </message>
</context>
<context>
    <name>ui::PlotKeys</name>
    <message>
        <source>Show everything</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Logarithmic y axis, or linear</source>
        <translation>y-Achse logarithmisch oder linear</translation>
    </message>
    <message>
        <source>Next kind of smoothing</source>
        <translation>Nächste Art der Glättung</translation>
    </message>
    <message>
        <source>Fit the y axis to the middle 98 % of the values, or to all</source>
        <translation>y-Achse an die mittleren 98 % der Werte anpassen oder an alle</translation>
    </message>
    <message>
        <source>Follow the newest step, or do not</source>
        <translation>Dem neuesten Schritt folgen oder nicht</translation>
    </message>
    <message>
        <source>Next x axis: steps, samples, epochs, times</source>
        <translation>Nächste x-Achse: Schritte, Samples, Epochen, Zeiten</translation>
    </message>
    <message>
        <source>Show or hide superseded points</source>
        <translation>Überholte Punkte zeigen oder verbergen</translation>
    </message>
    <message>
        <source>Show differences from the baseline, or the values</source>
        <translation>Differenzen zur Baseline zeigen oder die Werte</translation>
    </message>
    <message>
        <source>Show the numbers as a table, or the curves</source>
        <translation>Die Zahlen als Tabelle zeigen oder die Kurven</translation>
    </message>
    <message>
        <source>Move the view</source>
        <translation>Den Ausschnitt verschieben</translation>
    </message>
    <message>
        <source>Move the cursor by a point</source>
        <translation>Den Cursor um einen Punkt bewegen</translation>
    </message>
    <message>
        <source>Zoom the x axis</source>
        <translation>Die x-Achse zoomen</translation>
    </message>
    <message>
        <source>Zoom the y axis</source>
        <translation>Die y-Achse zoomen</translation>
    </message>
    <message>
        <source>Copy the values at the cursor</source>
        <translation>Die Werte am Cursor kopieren</translation>
    </message>
    <message>
        <source>Copy the plot as a picture</source>
        <translation>Das Diagramm als Bild kopieren</translation>
    </message>
    <message>
        <source>Save the plot as a picture</source>
        <translation>Das Diagramm als Bild speichern</translation>
    </message>
    <message>
        <source>Take the pin away</source>
        <translation>Den Pin entfernen</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Logarithmic or linear</source>
        <translation>Logarithmisch oder linear</translation>
    </message>
    <message>
        <source>Next smoothing</source>
        <translation>Nächste Glättung</translation>
    </message>
    <message>
        <source>With or without outliers</source>
        <translation>Mit oder ohne Ausreißer</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Next x axis</source>
        <translation>Nächste x-Achse</translation>
    </message>
    <message>
        <source>Earlier attempts</source>
        <translation>Frühere Versuche</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>Numbers as a table</source>
        <translation>Zahlen als Tabelle</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Back to what was looked at before</source>
        <translation>Zurück zu dem, was vorher betrachtet wurde</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>Forward to what was looked at after that</source>
        <translation>Vorwärts zu dem, was danach betrachtet wurde</translation>
    </message>
    <message>
        <source>Copy the values</source>
        <translation>Werte kopieren</translation>
    </message>
    <message>
        <source>Copy as a picture</source>
        <translation>Als Bild kopieren</translation>
    </message>
    <message>
        <source>Save as a picture…</source>
        <translation>Als Bild speichern…</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>ui::PlotPanel</name>
    <message>
        <source>Log</source>
        <translation>Log</translation>
    </message>
    <message>
        <source>No outliers</source>
        <translation>Ohne Ausreißer</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Move or hide this plot; its title can be dragged, too</source>
        <translation>Dieses Diagramm verschieben oder ausblenden; auch sein Titel lässt sich ziehen</translation>
    </message>
    <message>
        <source>Move &amp;earlier</source>
        <translation>Nach &amp;vorn</translation>
    </message>
    <message>
        <source>Move &amp;later</source>
        <translation>Nach &amp;hinten</translation>
    </message>
    <message>
        <source>&amp;Hide</source>
        <translation>&amp;Ausblenden</translation>
    </message>
    <message>
        <source>1 point</source>
        <translation>1 Punkt</translation>
    </message>
    <message numerus="yes">
        <source>%Ln points</source>
        <translation>
            <numerusform>%Ln Punkt</numerusform>
            <numerusform>%Ln Punkte</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, exact</source>
        <translation>%1, exakt</translation>
    </message>
    <message>
        <source>%1, thinned</source>
        <translation>%1, ausgedünnt</translation>
    </message>
    <message>
        <source>%1 ≤ 0 not shown · %2</source>
        <translation>%1 ≤ 0 nicht gezeigt · %2</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>1 line without a count of samples not shown</source>
        <translation>1 Linie ohne Anzahl von Samples nicht gezeigt</translation>
    </message>
    <message numerus="yes">
        <source>%Ln lines without a count of samples not shown</source>
        <translation>
            <numerusform>%Ln Linie ohne Anzahl von Samples nicht gezeigt</numerusform>
            <numerusform>%Ln Linien ohne Anzahl von Samples nicht gezeigt</numerusform>
        </translation>
    </message>
    <message>
        <source>1 line without epochs not shown</source>
        <translation>1 Linie ohne Epochen nicht gezeigt</translation>
    </message>
    <message numerus="yes">
        <source>%Ln lines without epochs not shown</source>
        <translation>
            <numerusform>%Ln Linie ohne Epochen nicht gezeigt</numerusform>
            <numerusform>%Ln Linien ohne Epochen nicht gezeigt</numerusform>
        </translation>
    </message>
    <message>
        <source>Numbers of %1</source>
        <translation>Zahlen von %1</translation>
    </message>
    <message>
        <source>&amp;Take out what was added</source>
        <translation>&amp;Hinzugefügtes herausnehmen</translation>
    </message>
    <message>
        <source>Logarithmic y axis</source>
        <translation>Logarithmische y-Achse</translation>
    </message>
    <message>
        <source>Fit the y axis to the middle 98 % of the values; arrows mark where a line leaves it</source>
        <translation>Die y-Achse den mittleren 98 % der Werte anpassen; Pfeile zeigen, wo eine Linie sie verlässt</translation>
    </message>
    <message>
        <source>Save this plot as PNG, SVG or PDF</source>
        <translation>Dieses Diagramm als PNG, SVG oder PDF speichern</translation>
    </message>
    <message>
        <source>no points in this range, Fit shows all</source>
        <translation>keine Punkte in diesem Bereich, „Einpassen“ zeigt alle</translation>
    </message>
</context>
<context>
    <name>ui::PlotWords</name>
    <message>
        <source>Active time</source>
        <translation>Aktive Zeit</translation>
    </message>
    <message>
        <source>Wall time</source>
        <translation>Uhrzeit</translation>
    </message>
    <message>
        <source>Samples seen</source>
        <translation>Gesehene Samples</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Exponential</source>
        <translation>Exponentiell</translation>
    </message>
    <message>
        <source>Gaussian</source>
        <translation>Gauß</translation>
    </message>
    <message>
        <source>Running mean</source>
        <translation>Gleitendes Mittel</translation>
    </message>
    <message>
        <source>Running median</source>
        <translation>Gleitender Median</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
</context>
<context>
    <name>ui::Plots</name>
    <message>
        <source>%1 runs</source>
        <translation>%1 Läufe</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 Ranks</translation>
    </message>
    <message>
        <source>1 run</source>
        <translation>1 Lauf</translation>
    </message>
    <message>
        <source>lower edge</source>
        <translation>untere Kante</translation>
    </message>
    <message>
        <source>upper edge</source>
        <translation>obere Kante</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Validation loss</source>
        <translation>Validierungs-Loss</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Images per second</source>
        <translation>Bilder pro Sekunde</translation>
    </message>
    <message>
        <source>TFLOP/s per rank</source>
        <translation>TFLOP/s je Rank</translation>
    </message>
    <message>
        <source>Model FLOPs utilisation</source>
        <translation>FLOP-Auslastung (MFU)</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>Loss-Skalierung</translation>
    </message>
    <message>
        <source>Skipped steps</source>
        <translation>Übersprungene Schritte</translation>
    </message>
    <message>
        <source>Samples showing what was asked for</source>
        <translation>Samples, die Verlangtes zeigen</translation>
    </message>
    <message>
        <source>Real images recognised</source>
        <translation>Erkannte echte Bilder</translation>
    </message>
    <message>
        <source>Reward of judged samples</source>
        <translation>Reward bewerteter Samples</translation>
    </message>
    <message>
        <source>The same before training</source>
        <translation>Derselbe vor dem Training</translation>
    </message>
    <message>
        <source>Reward</source>
        <translation>Reward</translation>
    </message>
    <message>
        <source>Highest reward</source>
        <translation>Höchster Reward</translation>
    </message>
    <message>
        <source>Lowest reward</source>
        <translation>Niedrigster Reward</translation>
    </message>
    <message>
        <source>Samples better than before training</source>
        <translation>Samples besser als vor dem Training</translation>
    </message>
    <message>
        <source>Clipped samples</source>
        <translation>Geclippte Samples</translation>
    </message>
    <message>
        <source>Divergence from the policy that sampled</source>
        <translation>Divergenz von der ziehenden Policy</translation>
    </message>
    <message>
        <source>Watched, not trained on</source>
        <translation>Beobachtet, nicht trainiert</translation>
    </message>
    <message>
        <source>Spread of rewards within a prompt</source>
        <translation>Streuung der Rewards in einem Prompt</translation>
    </message>
    <message>
        <source>Prompts whose samples all score alike</source>
        <translation>Prompts mit gleich bewerteten Samples</translation>
    </message>
    <message>
        <source>Samples per prompt</source>
        <translation>Samples je Prompt</translation>
    </message>
    <message>
        <source>Advantage</source>
        <translation>Advantage</translation>
    </message>
    <message>
        <source>Highest advantage</source>
        <translation>Höchster Advantage</translation>
    </message>
    <message>
        <source>Lowest advantage</source>
        <translation>Niedrigster Advantage</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>Ausgelassen</translation>
    </message>
    <message>
        <source>Probability ratio</source>
        <translation>Wahrscheinlichkeitsverhältnis</translation>
    </message>
    <message>
        <source>Highest probability ratio</source>
        <translation>Höchstes Wahrscheinlichkeitsverhältnis</translation>
    </message>
    <message>
        <source>Lowest probability ratio</source>
        <translation>Niedrigstes Wahrscheinlichkeitsverhältnis</translation>
    </message>
    <message>
        <source>Spread of probability ratios</source>
        <translation>Streuung der Wahrscheinlichkeitsverhältnisse</translation>
    </message>
    <message>
        <source>Clipped above</source>
        <translation>Oben geclippt</translation>
    </message>
    <message>
        <source>Clipped below</source>
        <translation>Unten geclippt</translation>
    </message>
    <message>
        <source>Divergence from the reference</source>
        <translation>Divergenz von der Referenz</translation>
    </message>
    <message>
        <source>Distance from the reference</source>
        <translation>Abstand von der Referenz</translation>
    </message>
    <message>
        <source>Distance from the old policy</source>
        <translation>Abstand von der alten Policy</translation>
    </message>
    <message>
        <source>Loss of the policy</source>
        <translation>Loss der Policy</translation>
    </message>
    <message>
        <source>Loss towards good samples</source>
        <translation>Loss hin zu guten Samples</translation>
    </message>
    <message>
        <source>Loss away from bad samples</source>
        <translation>Loss weg von schlechten Samples</translation>
    </message>
    <message>
        <source>Loss of preferences</source>
        <translation>Loss der Präferenzen</translation>
    </message>
    <message>
        <source>Pairs ranked as their rewards are</source>
        <translation>Paare in der Ordnung ihrer Rewards</translation>
    </message>
    <message>
        <source>Margin of preferences</source>
        <translation>Abstand der Präferenzen</translation>
    </message>
    <message>
        <source>Implicit reward of chosen samples</source>
        <translation>Impliziter Reward gewählter Samples</translation>
    </message>
    <message>
        <source>Implicit reward of rejected samples</source>
        <translation>Impliziter Reward verworfener Samples</translation>
    </message>
    <message>
        <source>Divergence from the teacher</source>
        <translation>Divergenz vom Lehrer</translation>
    </message>
    <message>
        <source>Distance from the teacher</source>
        <translation>Abstand vom Lehrer</translation>
    </message>
    <message>
        <source>Decay of the old policy</source>
        <translation>Abklingen der alten Policy</translation>
    </message>
    <message>
        <source>Draw and score</source>
        <translation>Zeichnen und bewerten</translation>
    </message>
    <message>
        <source>Advantages</source>
        <translation>Advantages</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>Old policy</source>
        <translation>Alte Policy</translation>
    </message>
    <message>
        <source>Moving average</source>
        <translation>Gleitender Mittelwert</translation>
    </message>
    <message>
        <source>Teacher</source>
        <translation>Lehrer</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>Updates</translation>
    </message>
    <message>
        <source>Loss of each rank</source>
        <translation>Loss jedes Ranks</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>Schrittzeit</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Rückwärts</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Memory, resident</source>
        <translation>Speicher, resident</translation>
    </message>
    <message>
        <source>Memory, mapped files</source>
        <translation>Speicher, eingeblendete Dateien</translation>
    </message>
    <message>
        <source>Memory, allocated</source>
        <translation>Speicher, belegt</translation>
    </message>
    <message>
        <source>Memory, reserved</source>
        <translation>Speicher, reserviert</translation>
    </message>
    <message>
        <source>Memory, peak</source>
        <translation>Speicher, Spitze</translation>
    </message>
    <message>
        <source>Memory, used on the GPU</source>
        <translation>Speicher, belegt auf der GPU</translation>
    </message>
    <message>
        <source>Reward of a round&apos;s samples</source>
        <translation>Reward der Samples einer Runde</translation>
    </message>
    <message>
        <source>Divergence (KL)</source>
        <translation>Divergenz (KL)</translation>
    </message>
    <message>
        <source>Seconds of a round&apos;s phases</source>
        <translation>Sekunden der Phasen einer Runde</translation>
    </message>
    <message>
        <source>%1 of rank 0</source>
        <translation>%1 von Rank 0</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>1 sample</source>
        <translation>1 Sample</translation>
    </message>
    <message numerus="yes">
        <source>%Ln samples</source>
        <translation>
            <numerusform>%Ln Sample</numerusform>
            <numerusform>%Ln Samples</numerusform>
        </translation>
    </message>
    <message>
        <source>epoch %1</source>
        <translation>Epoche %1</translation>
    </message>
    <message>
        <source>GPU %1 load</source>
        <translation>GPU %1 Auslastung</translation>
    </message>
    <message>
        <source>GPU %1 memory, all programs</source>
        <translation>GPU %1 Speicher, alle Programme</translation>
    </message>
    <message>
        <source>GPU %1 memory, this run</source>
        <translation>GPU %1 Speicher, dieser Lauf</translation>
    </message>
    <message>
        <source>GPU %1 power (W)</source>
        <translation>GPU %1 Leistung (W)</translation>
    </message>
    <message>
        <source>GPU %1 temperature (°C)</source>
        <translation>GPU %1 Temperatur (°C)</translation>
    </message>
    <message>
        <source>GPU %1 slowed down by heat or power</source>
        <translation>GPU %1 durch Hitze oder Leistung gedrosselt</translation>
    </message>
    <message>
        <source>Processors, all programs</source>
        <translation>Prozessoren, alle Programme</translation>
    </message>
    <message>
        <source>Processors, this run</source>
        <translation>Prozessoren, dieser Lauf</translation>
    </message>
    <message>
        <source>Memory, all programs</source>
        <translation>Speicher, alle Programme</translation>
    </message>
    <message>
        <source>Memory, this run</source>
        <translation>Speicher, dieser Lauf</translation>
    </message>
    <message>
        <source>Free disk space</source>
        <translation>Freier Plattenplatz</translation>
    </message>
    <message>
        <source>Processors</source>
        <translation>Prozessoren</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>GPU memory: driver and allocator</source>
        <translation>GPU-Speicher: Treiber und Verwalter</translation>
    </message>
</context>
<context>
    <name>ui::PlotsToolbar</name>
    <message>
        <source>◀</source>
        <translation>◀</translation>
    </message>
    <message>
        <source>▶</source>
        <translation>▶</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Einpassen</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Earlier attempts</source>
        <translation>Frühere Versuche</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>Draw runs that are equal in an option, the project or the tags as one line: their mean, with a band</source>
        <translation>Läufe, die in einer Option, im Projekt oder in den Tags gleich sind, als eine Linie zeichnen: ihr Mittel mit einem Band</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>Choose which metrics have a plot</source>
        <translation>Wählen, welche Metriken ein Diagramm haben</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Save all plots as a picture, or copy them</source>
        <translation>Alle Diagramme als Bild speichern oder kopieren</translation>
    </message>
    <message>
        <source>x</source>
        <translation>x</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>x axis</source>
        <translation>x-Achse</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 Schritte</translation>
    </message>
    <message>
        <source>Half-life, standard deviation or window width of the smoothing, in steps</source>
        <translation>Halbwertszeit, Standardabweichung oder Fensterbreite der Glättung, in Schritten</translation>
    </message>
    <message>
        <source>Smoothing width</source>
        <translation>Breite der Glättung</translation>
    </message>
    <message>
        <source>Save all plots…</source>
        <translation>Alle Diagramme speichern…</translation>
    </message>
    <message>
        <source>Copy all plots</source>
        <translation>Alle Diagramme kopieren</translation>
    </message>
    <message>
        <source>Group: %1</source>
        <translation>Gruppe: %1</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Show the hidden plot</source>
        <translation>Das ausgeblendete Diagramm zeigen</translation>
    </message>
    <message numerus="yes">
        <source>Show %Ln hidden plots</source>
        <translation>
            <numerusform>%Ln ausgeblendetes Diagramm zeigen</numerusform>
            <numerusform>%Ln ausgeblendete Diagramme zeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>Find metrics…</source>
        <translation>Metriken finden…</translation>
    </message>
    <message>
        <source>Default metrics</source>
        <translation>Vorgegebene Metriken</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>Show everything, as a double click in a plot does. Drag in a plot to zoom in, with Shift to move.</source>
        <translation>Alles zeigen, wie ein Doppelklick in ein Diagramm. Ziehen vergrößert, mit Umschalt verschiebt es.</translation>
    </message>
    <message>
        <source>Keep the newest step in view</source>
        <translation>Den neuesten Schritt im Bild behalten</translation>
    </message>
    <message>
        <source>Show, fainter, the points of earlier attempts that a resumed run has recorded again</source>
        <translation>Blasser die Punkte früherer Versuche zeigen, die ein fortgesetzter Lauf noch einmal aufgezeichnet hat</translation>
    </message>
    <message>
        <source>Show how far the other runs are from the baseline, at the steps that both have recorded. The tab Compare chooses the baseline.</source>
        <translation>Zeigen, wie weit die anderen Läufe von der Baseline entfernt sind, bei den Schritten, die beide aufgezeichnet haben. Der Reiter Vergleich wählt die Baseline.</translation>
    </message>
    <message>
        <source>The quantity on the x axis. Samples are those seen by all ranks, an epoch is one pass over the data or the prompts, and active time leaves out the pauses between attempts.</source>
        <translation>Die Größe auf der x-Achse. Samples sind die von allen Ranks gesehenen, eine Epoche ist ein Durchgang durch die Daten oder die Prompts, und aktive Zeit lässt die Pausen zwischen Versuchen aus.</translation>
    </message>
    <message>
        <source>How lines are smoothed. The raw line stays visible behind it, in a fainter colour.</source>
        <translation>Wie Linien geglättet werden. Die rohe Linie bleibt dahinter sichtbar, in blasserer Farbe.</translation>
    </message>
</context>
<context>
    <name>ui::PlotsView</name>
    <message>
        <source>Differences need two runs: draw another one.</source>
        <translation>Differenzen brauchen zwei Läufe: einen weiteren zeichnen.</translation>
    </message>
    <message>
        <source>Differences from %1, at the steps that both runs have recorded</source>
        <translation>Differenzen zu %1, bei den Schritten, die beide Läufe aufgezeichnet haben</translation>
    </message>
    <message>
        <source>No runs yet. Start one, and its curves appear here.</source>
        <translation>Noch keine Läufe. Nach einem Start erscheinen die Kurven hier.</translation>
    </message>
    <message>
        <source>No run is drawn. Click the eye of a run in the list to see its curves here.</source>
        <translation>Kein Lauf ist gezeichnet. Ein Klick auf das Auge eines Laufs in der Liste zeigt hier seine Kurven.</translation>
    </message>
    <message>
        <source>The runs that are drawn are not in the database.</source>
        <translation>Die gezeichneten Läufe sind nicht in der Datenbank.</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>Neu lesen</translation>
    </message>
    <message>
        <source>No step has been recorded yet. The first one will appear here automatically.</source>
        <translation>Noch kein Schritt aufgezeichnet. Der erste erscheint hier von selbst.</translation>
    </message>
    <message>
        <source>All plots are hidden.</source>
        <translation>Alle Diagramme sind ausgeblendet.</translation>
    </message>
    <message>
        <source>Show hidden plots</source>
        <translation>Ausgeblendete Diagramme zeigen</translation>
    </message>
    <message>
        <source>No metric is chosen.</source>
        <translation>Keine Metrik gewählt.</translation>
    </message>
    <message>
        <source>Show the default metrics</source>
        <translation>Vorgegebene Metriken zeigen</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>The curves could not be read. %1</source>
        <translation>Die Kurven konnten nicht gelesen werden. %1</translation>
    </message>
    <message>
        <source>No step has been recorded.</source>
        <translation>Kein Schritt wurde aufgezeichnet.</translation>
    </message>
</context>
<context>
    <name>ui::PreflightList</name>
    <message>
        <source>ok</source>
        <translation>in Ordnung</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Preflight checks</source>
        <translation>Prüfungen vor dem Start</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2: %3</translation>
    </message>
</context>
<context>
    <name>ui::PresetMenu</name>
    <message>
        <source>&amp;Save as a preset…</source>
        <translation>Als &amp;Vorlage speichern…</translation>
    </message>
    <message>
        <source>No presets yet</source>
        <translation>Noch keine Vorlagen</translation>
    </message>
    <message>
        <source>&amp;Save “%1”</source>
        <translation>„%1“ &amp;speichern</translation>
    </message>
    <message>
        <source>Save as a &amp;new preset…</source>
        <translation>Als &amp;neue Vorlage speichern…</translation>
    </message>
    <message>
        <source>&amp;Rename “%1”…</source>
        <translation>„%1“ &amp;umbenennen…</translation>
    </message>
    <message>
        <source>&amp;Delete “%1”…</source>
        <translation>„%1“ &amp;löschen…</translation>
    </message>
    <message>
        <source>Save as a preset</source>
        <translation>Als Vorlage speichern</translation>
    </message>
    <message>
        <source>Replace a preset</source>
        <translation>Vorlage ersetzen</translation>
    </message>
    <message>
        <source>There is a preset “%1” already. Replace it?</source>
        <translation>Es gibt schon eine Vorlage „%1“. Ersetzen?</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Saved as the preset “%1”.</source>
        <translation>Als Vorlage „%1“ gespeichert.</translation>
    </message>
    <message>
        <source>Rename the preset</source>
        <translation>Vorlage umbenennen</translation>
    </message>
    <message>
        <source>Renamed the preset “%1” to “%2”.</source>
        <translation>Vorlage „%1“ in „%2“ umbenannt.</translation>
    </message>
    <message>
        <source>Delete a preset</source>
        <translation>Vorlage löschen</translation>
    </message>
    <message>
        <source>Delete the preset “%1”? The experiment stays in this window.</source>
        <translation>Die Vorlage „%1“ löschen? Das Experiment bleibt in diesem Fenster.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Deleted the preset “%1”.</source>
        <translation>Vorlage „%1“ gelöscht.</translation>
    </message>
    <message>
        <source>Name of the preset:</source>
        <translation>Name der Vorlage:</translation>
    </message>
</context>
<context>
    <name>ui::PresetsThere</name>
    <message>
        <source>They are being read…</source>
        <translation>Sie werden gelesen…</translation>
    </message>
    <message>
        <source>Presets of %1</source>
        <translation>Vorlagen auf %1</translation>
    </message>
    <message>
        <source>No presets yet</source>
        <translation>Noch keine Vorlagen</translation>
    </message>
    <message>
        <source>&amp;Save there as a preset…</source>
        <translation>Dort als Vorlage &amp;speichern…</translation>
    </message>
    <message>
        <source>&amp;Delete there</source>
        <translation>Dort &amp;löschen</translation>
    </message>
    <message>
        <source>%1…</source>
        <translation>%1…</translation>
    </message>
    <message>
        <source>%1 does not say what is in the preset.</source>
        <translation>%1 sagt nicht, was in der Vorlage steht.</translation>
    </message>
    <message>
        <source>Save as a preset on %1</source>
        <translation>Als Vorlage auf %1 speichern</translation>
    </message>
    <message>
        <source>Replace a preset</source>
        <translation>Vorlage ersetzen</translation>
    </message>
    <message>
        <source>There is a preset “%1” on %2 already. Replace it?</source>
        <translation>Auf %2 gibt es schon eine Vorlage „%1“. Ersetzen?</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Saved as the preset “%1” on %2.</source>
        <translation>Als Vorlage „%1“ auf %2 gespeichert.</translation>
    </message>
    <message>
        <source>Delete a preset</source>
        <translation>Vorlage löschen</translation>
    </message>
    <message>
        <source>Delete the preset “%1” on %2? The experiment stays in this window.</source>
        <translation>Die Vorlage „%1“ auf %2 löschen? Das Experiment bleibt in diesem Fenster.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Deleted the preset “%1” on %2.</source>
        <translation>Vorlage „%1“ auf %2 gelöscht.</translation>
    </message>
</context>
<context>
    <name>ui::QueryEdit</name>
    <message>
        <source>Filter runs: lora state:failed loss &lt; 0.2</source>
        <translation>Läufe filtern: lora state:failed loss &lt; 0.2</translation>
    </message>
    <message>
        <source>Words that the name, project, tags, note or state contain, and comparisons: tag:lora, state:failed, loss &amp;lt; 0.2, min(loss) &amp;lt; 0.1, optim.lr &amp;gt;= 1e-4; joined by and, or, not and parentheses.</source>
        <translation>Wörter, die Name, Projekt, Tags, Notiz oder Zustand enthalten, und Vergleiche: tag:lora, state:failed, loss &amp;lt; 0.2, min(loss) &amp;lt; 0.1, optim.lr &amp;gt;= 1e-4; verbunden durch and, or, not und Klammern.</translation>
    </message>
    <message>
        <source>Filter runs</source>
        <translation>Läufe filtern</translation>
    </message>
</context>
<context>
    <name>ui::QueueModel</name>
    <message>
        <source>Held</source>
        <translation>Gehalten</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Platz</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Waits for</source>
        <translation>Wartet auf</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
</context>
<context>
    <name>ui::QueuePlanModel</name>
    <message>
        <source>%1 ago</source>
        <translation>vor %1</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>in %1</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>Gehalten</translation>
    </message>
    <message>
        <source>when it is released</source>
        <translation>sobald er freigegeben ist</translation>
    </message>
    <message>
        <source>when others free its GPUs</source>
        <translation>sobald andere seine GPUs freigeben</translation>
    </message>
    <message>
        <source>unknown, not before %1</source>
        <translation>unbekannt, nicht vor %1</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 – %2. Starts: %3. Ends: %4. Duration: %5.</source>
        <translation>%1 – %2. Beginnt: %3. Endet: %4. Dauer: %5.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Starts</source>
        <translation>Beginn</translation>
    </message>
    <message>
        <source>Ends</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
</context>
<context>
    <name>ui::QueuePlanView</name>
    <message>
        <source>No run is active, and none waits.</source>
        <translation>Kein Lauf ist aktiv, und keiner wartet.</translation>
    </message>
    <message>
        <source>Plan of the queue</source>
        <translation>Plan der Warteschlange</translation>
    </message>
</context>
<context>
    <name>ui::QueueView</name>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Move &amp;up</source>
        <translation>Nach &amp;oben</translation>
    </message>
    <message>
        <source>Start the selected runs earlier</source>
        <translation>Die ausgewählten Läufe früher starten</translation>
    </message>
    <message>
        <source>Move &amp;down</source>
        <translation>Nach &amp;unten</translation>
    </message>
    <message>
        <source>Start the selected runs later</source>
        <translation>Die ausgewählten Läufe später starten</translation>
    </message>
    <message>
        <source>&amp;Hold or release</source>
        <translation>&amp;Halten oder freigeben</translation>
    </message>
    <message>
        <source>Keep the selected runs from starting, or let them start again</source>
        <translation>Die ausgewählten Läufe vom Start abhalten oder wieder starten lassen</translation>
    </message>
    <message>
        <source>&amp;Start now</source>
        <translation>Jetzt &amp;starten</translation>
    </message>
    <message>
        <source>Start the selected runs whatever is free</source>
        <translation>Die ausgewählten Läufe starten, gleich was frei ist</translation>
    </message>
    <message>
        <source>&amp;Remove from the queue</source>
        <translation>&amp;Aus der Warteschlange nehmen</translation>
    </message>
    <message>
        <source>Active at a time, without GPUs:</source>
        <translation>Zugleich aktiv, ohne GPUs:</translation>
    </message>
    <message>
        <source>Runs without GPUs that are active at a time</source>
        <translation>Läufe ohne GPUs, die zugleich aktiv sind</translation>
    </message>
    <message>
        <source>A run that needs GPUs waits until as many are free as it has ranks.</source>
        <translation>Ein Lauf, der GPUs braucht, wartet, bis so viele frei sind, wie er Ranks hat.</translation>
    </message>
    <message>
        <source>No run waits. “Add to queue” in the launch window, or `atelier run --queue FILE`, adds one; it starts when the others have ended.</source>
        <translation>Kein Lauf wartet. „In die Warteschlange“ im Startfenster oder `atelier run --queue FILE` reiht einen ein; er startet, wenn die anderen geendet haben.</translation>
    </message>
    <message>
        <source>Select runs that wait in the queue.</source>
        <translation>Läufe auswählen, die in der Warteschlange stehen.</translation>
    </message>
    <message>
        <source>&amp;Release</source>
        <translation>&amp;Freigeben</translation>
    </message>
    <message>
        <source>&amp;Hold</source>
        <translation>&amp;Halten</translation>
    </message>
    <message>
        <source>As &amp;bars over time</source>
        <translation>Als &amp;Balken über der Zeit</translation>
    </message>
    <message>
        <source>Show when the runs will start and end, as far as that is known</source>
        <translation>Zeigen, wann die Läufe beginnen und enden, soweit bekannt</translation>
    </message>
    <message>
        <source>Go back from the bars to the table, and select runs that wait.</source>
        <translation>Von den Balken zur Tabelle zurückkehren und wartende Läufe auswählen.</translation>
    </message>
    <message>
        <source>&amp;GPUs to wait for…</source>
        <translation>&amp;GPUs, auf die gewartet wird …</translation>
    </message>
    <message>
        <source>Say how many free GPUs the selected runs wait for</source>
        <translation>Festlegen, auf wie viele freie GPUs die ausgewählten Läufe warten</translation>
    </message>
    <message>
        <source>Hold all when a run fails</source>
        <translation>Alle anhalten, wenn ein Lauf fehlschlägt</translation>
    </message>
    <message>
        <source>Else the next run starts when one has failed. (atelier queue start --on-error hold)</source>
        <translation>Sonst beginnt nach einem Fehlschlag der nächste Lauf. (atelier queue start --on-error hold)</translation>
    </message>
    <message>
        <source>GPUs to wait for</source>
        <translation>GPUs, auf die gewartet wird</translation>
    </message>
    <message>
        <source>Free GPUs that each of the runs waits for and gets; 0: it waits as a run without GPUs:</source>
        <translation>Freie GPUs, auf die jeder der Läufe wartet und die er bekommt; 0: er wartet wie ein Lauf ohne GPUs:</translation>
    </message>
    <message>
        <source>&amp;Edit…</source>
        <translation>&amp;Bearbeiten…</translation>
    </message>
    <message>
        <source>Change the experiment of the selected run; it keeps its place</source>
        <translation>Das Experiment des gewählten Laufs ändern; er behält seinen Platz</translation>
    </message>
    <message>
        <source>Only one run can be edited at a time.</source>
        <translation>Es kann nur ein Lauf auf einmal bearbeitet werden.</translation>
    </message>
    <message>
        <source>Take the selected runs out of the queue; they stay prepared</source>
        <translation>Die ausgewählten Läufe aus der Warteschlange nehmen; sie bleiben vorbereitet</translation>
    </message>
</context>
<context>
    <name>ui::RankMap</name>
    <message>
        <source>rank</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>Rank %1, %2: %3</source>
        <translation>Rank %1, %2: %3</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>longest waiting rank %1</source>
        <translation>am längsten wartend: Rank %1</translation>
    </message>
    <message>
        <source>most on rank %1</source>
        <translation>am meisten auf Rank %1</translation>
    </message>
    <message>
        <source>slowest rank %1</source>
        <translation>langsamster Rank %1</translation>
    </message>
    <message>
        <source>1 rank</source>
        <translation>1 Rank</translation>
    </message>
    <message numerus="yes">
        <source>%Ln ranks</source>
        <translation>
            <numerusform>%Ln Rank</numerusform>
            <numerusform>%Ln Ranks</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2, %3, %4</source>
        <translation>%1, %2, %3, %4</translation>
    </message>
</context>
<context>
    <name>ui::RemoteLabel</name>
    <message>
        <source>Connecting to %1…</source>
        <translation>Verbindung zu %1 wird hergestellt…</translation>
    </message>
    <message>
        <source>Connected to %1</source>
        <translation>Verbunden mit %1</translation>
    </message>
    <message>
        <source>Reading the runs of %1…</source>
        <translation>Die Läufe von %1 werden gelesen…</translation>
    </message>
    <message>
        <source>No connection to %1</source>
        <translation>Keine Verbindung zu %1</translation>
    </message>
    <message>
        <source>No connection to %1, heard %2</source>
        <translation>Keine Verbindung zu %1, zuletzt gehört %2</translation>
    </message>
</context>
<context>
    <name>ui::RemoteWatch</name>
    <message>
        <source>the connection ended</source>
        <translation>die Verbindung ist zu Ende</translation>
    </message>
    <message>
        <source>There is no connection to %1 yet: %2. It is tried again by itself.</source>
        <translation>Noch keine Verbindung zu %1: %2. Sie wird von selbst wieder versucht.</translation>
    </message>
    <message>
        <source>There is no connection to %1 since %2: %3. Runs are shown as they were then; it is tried again by itself.</source>
        <translation>Keine Verbindung zu %1 seit %2: %3. Die Läufe sind gezeigt, wie sie da waren; es wird von selbst wieder versucht.</translation>
    </message>
    <message>
        <source>There is no connection to %1 yet, so nothing has been copied from it.</source>
        <translation>Es gibt noch keine Verbindung mit %1, daher ist nichts von dort kopiert.</translation>
    </message>
    <message>
        <source>Nothing of this had been copied from %1 when the connection was lost, %2.</source>
        <translation>Hiervon war noch nichts von %1 kopiert, als die Verbindung abriss (%2).</translation>
    </message>
    <message>
        <source>Connecting to %1. Nothing of this has been copied yet.</source>
        <translation>Verbindung mit %1 wird aufgebaut. Hiervon ist noch nichts kopiert.</translation>
    </message>
    <message>
        <source>The runs of %1 are being read.</source>
        <translation>Die Läufe von %1 werden gelesen.</translation>
    </message>
    <message>
        <source>What %1 has of this is being copied.</source>
        <translation>Was %1 hiervon hat, wird gerade kopiert.</translation>
    </message>
</context>
<context>
    <name>ui::RulesDialog</name>
    <message>
        <source>Try rules on %1</source>
        <translation>Regeln an %1 ausprobieren</translation>
    </message>
    <message>
        <source>&amp;Rules, separated by |. The option run.rules lets them act while a run trains.</source>
        <translation>&amp;Regeln, durch | getrennt. Mit der Option run.rules wirken sie, während ein Lauf trainiert.</translation>
    </message>
    <message>
        <source>loss is not finite: stop | grad_norm &gt; 100 for 5 steps: notify, checkpoint</source>
        <translation>loss is not finite: stop | grad_norm &gt; 100 for 5 steps: notify, checkpoint</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>Would have fired</source>
        <translation>Hätte ausgelöst</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Where the rules would have fired</source>
        <translation>Wo die Regeln ausgelöst hätten</translation>
    </message>
    <message>
        <source>Copy the rules</source>
        <translation>Die Regeln kopieren</translation>
    </message>
    <message>
        <source>Type a rule to see where it would have fired.</source>
        <translation>Eine eingegebene Regel zeigt, wo sie ausgelöst hätte.</translation>
    </message>
    <message>
        <source>The values could not be read. %1</source>
        <translation>Die Werte konnten nicht gelesen werden. %1</translation>
    </message>
    <message>
        <source>%1 was not recorded</source>
        <translation>%1 wurde nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>once</source>
        <translation>einmal</translation>
    </message>
    <message numerus="yes">
        <source>%Ln times</source>
        <translation>
            <numerusform>%Ln-mal</numerusform>
            <numerusform>%Ln-mal</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <comment>a rule and how often it fired</comment>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>step %1 of attempt %2</source>
        <translation>Schritt %1 von Versuch %2</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>and %1 times more</source>
        <translation>und %1 weitere Male</translation>
    </message>
</context>
<context>
    <name>ui::RunAlerts</name>
    <message>
        <source>A rule of %1 has fired</source>
        <translation>Eine Regel von %1 hat ausgelöst</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>%1 von %2 Schritten</translation>
    </message>
    <message>
        <source>%1 has finished</source>
        <translation>%1 ist fertig</translation>
    </message>
    <message>
        <source>%1, loss %2</source>
        <translation>%1, Loss %2</translation>
    </message>
    <message>
        <source>%1 has failed</source>
        <translation>%1 ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>%1 was interrupted</source>
        <translation>%1 wurde unterbrochen</translation>
    </message>
    <message>
        <source>%1 hangs</source>
        <translation>%1 hängt</translation>
    </message>
    <message>
        <source>The disk is nearly full</source>
        <translation>Die Platte ist fast voll</translation>
    </message>
    <message>
        <source>%1 are free where the runs are kept; checkpoints may soon not fit.</source>
        <translation>%1 sind frei, wo die Läufe liegen; Checkpoints passen bald vielleicht nicht mehr.</translation>
    </message>
    <message>
        <source>%1 could not be started</source>
        <translation>%1 konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>The queue is held after %1</source>
        <translation>Die Warteschlange ist nach %1 angehalten</translation>
    </message>
</context>
<context>
    <name>ui::RunColumns</name>
    <message>
        <source>Options and metrics…</source>
        <translation>Optionen und Metriken…</translation>
    </message>
</context>
<context>
    <name>ui::RunCommands</name>
    <message>
        <source>%1 runs</source>
        <translation>%1 Läufe</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Stoppen</translation>
    </message>
    <message>
        <source>Finish the current step, write a checkpoint and exit</source>
        <translation>Den laufenden Schritt beenden, einen Checkpoint schreiben und aufhören</translation>
    </message>
    <message>
        <source>Stop n&amp;ow</source>
        <translation>S&amp;ofort stoppen</translation>
    </message>
    <message>
        <source>Exit within seconds, without a checkpoint</source>
        <translation>Binnen Sekunden aufhören, ohne Checkpoint</translation>
    </message>
    <message>
        <source>&amp;Kill…</source>
        <translation>Beenden er&amp;zwingen…</translation>
    </message>
    <message>
        <source>Kill all processes immediately, without a checkpoint</source>
        <translation>Alle Prozesse sofort beenden, ohne Checkpoint</translation>
    </message>
    <message>
        <source>&amp;Checkpoint</source>
        <translation>&amp;Checkpoint</translation>
    </message>
    <message>
        <source>Write a checkpoint after this step</source>
        <translation>Nach diesem Schritt einen Checkpoint schreiben</translation>
    </message>
    <message>
        <source>Sa&amp;mple</source>
        <translation>Sa&amp;mple</translation>
    </message>
    <message>
        <source>Draw sample images after this step</source>
        <translation>Nach diesem Schritt Beispielbilder zeichnen</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>Continue from the latest checkpoint; for a finished run, asks for more steps</source>
        <translation>Ab dem neuesten Checkpoint weitermachen; bei einem fertigen Lauf wird nach weiteren Schritten gefragt</translation>
    </message>
    <message>
        <source>What went &amp;wrong…</source>
        <translation>Was schief&amp;ging…</translation>
    </message>
    <message>
        <source>Tr&amp;y rules…</source>
        <translation>&amp;Regeln ausprobieren…</translation>
    </message>
    <message>
        <source>See at which steps rules would have stopped the run, or done something else</source>
        <translation>Sehen, bei welchen Schritten Regeln den Lauf gestoppt oder anderes getan hätten</translation>
    </message>
    <message>
        <source>%1 accepted the command %2.</source>
        <translation>%1 hat den Befehl %2 angenommen.</translation>
    </message>
    <message>
        <source>%1 has been resumed.</source>
        <translation>%1 wurde fortgesetzt.</translation>
    </message>
    <message>
        <source>%1 has been resumed: %2</source>
        <translation>%1 wurde fortgesetzt: %2</translation>
    </message>
    <message>
        <source>%1 was moved to the trash. Undo restores it.</source>
        <translation>%1 wurde in den Papierkorb verschoben. Rückgängig stellt ihn wieder her.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs were moved to the trash. Undo restores them.</source>
        <translation>
            <numerusform>%Ln Lauf wurde in den Papierkorb verschoben. Rückgängig stellt ihn wieder her.</numerusform>
            <numerusform>%Ln Läufe wurden in den Papierkorb verschoben. Rückgängig stellt sie wieder her.</numerusform>
        </translation>
    </message>
    <message>
        <source>1 item was deleted for good, %1.</source>
        <translation>1 Eintrag wurde endgültig gelöscht, %1.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln items were deleted for good, %1.</source>
        <translation>
            <numerusform>%Ln Eintrag wurde endgültig gelöscht, %1.</numerusform>
            <numerusform>%Ln Einträge wurden endgültig gelöscht, %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>No run is selected.</source>
        <translation>Kein Lauf ausgewählt.</translation>
    </message>
    <message>
        <source>Only one run can be renamed at a time.</source>
        <translation>Nur ein Lauf auf einmal kann umbenannt werden.</translation>
    </message>
    <message>
        <source>Rules can be tried on one run at a time.</source>
        <translation>Regeln können nur an einem Lauf auf einmal ausprobiert werden.</translation>
    </message>
    <message>
        <source>Only one run can be examined at a time.</source>
        <translation>Nur ein Lauf auf einmal kann untersucht werden.</translation>
    </message>
    <message>
        <source>Kill</source>
        <translation>Beenden erzwingen</translation>
    </message>
    <message>
        <source>Kill all processes of %1 immediately? Steps since the last checkpoint will be lost.</source>
        <translation>Alle Prozesse von %1 sofort beenden? Schritte seit dem letzten Checkpoint gehen verloren.</translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation>Weiterlaufen lassen</translation>
    </message>
    <message>
        <source>Nothing was killed: %1 had already ended.</source>
        <translation>Nichts wurde beendet: %1 war schon zu Ende.</translation>
    </message>
    <message>
        <source>&amp;Draw or hide</source>
        <translation>Ein- oder ausblen&amp;den</translation>
    </message>
    <message>
        <source>Draw the runs in the plots, or hide them</source>
        <translation>Die Läufe in den Kurven zeichnen oder ausblenden</translation>
    </message>
    <message>
        <source>Re&amp;name…</source>
        <translation>&amp;Umbenennen…</translation>
    </message>
    <message>
        <source>Give the run another name</source>
        <translation>Dem Lauf einen anderen Namen geben</translation>
    </message>
    <message>
        <source>Ta&amp;gs…</source>
        <translation>&amp;Tags…</translation>
    </message>
    <message>
        <source>Add tags to the runs, or remove them</source>
        <translation>Den Läufen Tags geben oder nehmen</translation>
    </message>
    <message>
        <source>Pro&amp;ject…</source>
        <translation>Pro&amp;jekt…</translation>
    </message>
    <message>
        <source>Give the runs another project</source>
        <translation>Den Läufen ein anderes Projekt geben</translation>
    </message>
    <message>
        <source>Not&amp;e…</source>
        <translation>&amp;Notiz…</translation>
    </message>
    <message>
        <source>Write a note about the runs</source>
        <translation>Eine Notiz über die Läufe schreiben</translation>
    </message>
    <message>
        <source>&amp;Archive or restore</source>
        <translation>&amp;Archivieren oder zurückholen</translation>
    </message>
    <message>
        <source>Hide the runs from the table, or show them again</source>
        <translation>Die Läufe aus der Tabelle ausblenden oder wieder zeigen</translation>
    </message>
    <message>
        <source>E&amp;xport metrics…</source>
        <translation>Metriken e&amp;xportieren…</translation>
    </message>
    <message>
        <source>Open &amp;folder</source>
        <translation>Ordner &amp;öffnen</translation>
    </message>
    <message>
        <source>Open the run&apos;s folder</source>
        <translation>Den Ordner des Laufs öffnen</translation>
    </message>
    <message>
        <source>Open &amp;profile folder</source>
        <translation>Prof&amp;ilordner öffnen</translation>
    </message>
    <message>
        <source>Open the folder with the traces that the option run.profile_steps records</source>
        <translation>Den Ordner mit den Traces öffnen, die die Option run.profile_steps aufzeichnet</translation>
    </message>
    <message>
        <source>Copy &amp;id</source>
        <translation>ID &amp;kopieren</translation>
    </message>
    <message>
        <source>Copy the runs&apos; ids</source>
        <translation>Die IDs der Läufe kopieren</translation>
    </message>
    <message>
        <source>Move to &amp;trash</source>
        <translation>In den Papierkorb &amp;verschieben</translation>
    </message>
    <message>
        <source>Move the runs&apos; folders to the trash; this can be undone</source>
        <translation>Die Ordner der Läufe in den Papierkorb verschieben; das lässt sich rückgängig machen</translation>
    </message>
    <message>
        <source>Tras&amp;h…</source>
        <translation>Papi&amp;erkorb…</translation>
    </message>
    <message>
        <source>List what was moved to the trash, restore it, or delete it for good</source>
        <translation>Auflisten, was im Papierkorb liegt, es wiederherstellen oder endgültig löschen</translation>
    </message>
    <message>
        <source>This run has no profile. Set the option run.profile_steps, for example to 10..15, to record one.</source>
        <translation>Dieser Lauf hat kein Profil. Die Option run.profile_steps, etwa auf 10..15 gesetzt, zeichnet eines auf.</translation>
    </message>
    <message>
        <source>&amp;Undo move to trash</source>
        <translation>Papierkorb &amp;rückgängig machen</translation>
    </message>
    <message>
        <source>&amp;Undo: %1</source>
        <translation>&amp;Rückgängig: %1</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Name of the run:</source>
        <translation>Name des Laufs:</translation>
    </message>
    <message>
        <source>rename</source>
        <translation>Umbenennung</translation>
    </message>
    <message>
        <source>edit of project, tags and note</source>
        <translation>Änderung von Projekt, Tags und Notiz</translation>
    </message>
    <message>
        <source>Export the metrics of %1</source>
        <translation>Metriken von %1 exportieren</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv);;JSON (*.json);;TensorBoard folder (*.tensorboard)</source>
        <translation>Durch Kommas getrennte Werte (*.csv);;JSON (*.json);;TensorBoard-Ordner (*.tensorboard)</translation>
    </message>
    <message>
        <source>The metrics were written to %1.</source>
        <translation>Die Metriken wurden nach %1 geschrieben.</translation>
    </message>
    <message>
        <source>restore from the archive</source>
        <translation>Zurückholen aus dem Archiv</translation>
    </message>
    <message>
        <source>archive</source>
        <translation>Archivieren</translation>
    </message>
    <message>
        <source>This is only possible on %1, by `atelier --host %1` and a command.</source>
        <translation>Das geht nur auf %1, mit `atelier --host %1` und einem Befehl.</translation>
    </message>
    <message>
        <source>There is no connection to %1.</source>
        <translation>Es gibt keine Verbindung zu %1.</translation>
    </message>
    <message>
        <source>%1 was moved to the trash of %2. Undo restores it.</source>
        <translation>%1 wurde in den Papierkorb von %2 verschoben. Rückgängig stellt ihn wieder her.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs were moved to the trash of %1. Undo restores them.</source>
        <translation>
            <numerusform>%Ln Lauf wurde in den Papierkorb von %1 verschoben. Rückgängig stellt ihn wieder her.</numerusform>
            <numerusform>%Ln Läufe wurden in den Papierkorb von %1 verschoben. Rückgängig stellt sie wieder her.</numerusform>
        </translation>
    </message>
    <message>
        <source>Show which rank failed first or is furthest behind, its last words and what the others do</source>
        <translation>Zeigt, welcher Rank zuerst fehlgeschlagen oder am weitesten zurück ist, seine letzten Worte und was die anderen tun</translation>
    </message>
    <message>
        <source>This run has not failed or stalled.</source>
        <translation>Dieser Lauf ist nicht fehlgeschlagen und hängt nicht.</translation>
    </message>
    <message>
        <source>Line…</source>
        <translation>Linie…</translation>
    </message>
    <message>
        <source>Choose the colour, dash pattern and marker of the runs&apos; lines in plots</source>
        <translation>Wählt Farbe, Strichmuster und Markierung der Linien der Läufe in Diagrammen</translation>
    </message>
    <message>
        <source>change of the line</source>
        <translation>Änderung der Linie</translation>
    </message>
    <message>
        <source>Write every metric value of the runs to CSV or JSON files</source>
        <translation>Schreibt alle Metrikwerte der Läufe in CSV- oder JSON-Dateien</translation>
    </message>
    <message>
        <source>Only one run can be edited at a time.</source>
        <translation>Es kann nur ein Lauf auf einmal bearbeitet werden.</translation>
    </message>
    <message>
        <source>move to trash</source>
        <translation>Verschieben in den Papierkorb</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Start runs that wait in the queue, or were only prepared, now</source>
        <translation>Läufe, die in der Warteschlange warten oder nur vorbereitet sind, jetzt starten</translation>
    </message>
    <message>
        <source>%1 was restored.</source>
        <translation>%1 wurde wiederhergestellt.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln items were restored.</source>
        <translation>
            <numerusform>%Ln Eintrag wurde wiederhergestellt.</numerusform>
            <numerusform>%Ln Einträge wurden wiederhergestellt.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::RunControl</name>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Stop now</source>
        <translation>Sofort stoppen</translation>
    </message>
    <message>
        <source>Kill</source>
        <translation>Beenden erzwingen</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>Sample</translation>
    </message>
    <message>
        <source>Ping</source>
        <translation>Ping</translation>
    </message>
    <message>
        <source>The machine does not say which run it has started.</source>
        <translation>Der Rechner sagt nicht, welchen Lauf er gestartet hat.</translation>
    </message>
</context>
<context>
    <name>ui::RunEntry</name>
    <message>
        <source>Last record %1</source>
        <translation>Letzter Eintrag %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 active runs are silent.</source>
        <translation>%1 aktive Läufe schweigen.</translation>
    </message>
    <message>
        <source>The run&apos;s state is not known yet.</source>
        <translation>Der Zustand des Laufs ist noch nicht bekannt.</translation>
    </message>
    <message>
        <source>The run belongs to another machine and can only be controlled there.</source>
        <translation>Der Lauf gehört zu einer anderen Maschine und kann nur dort gesteuert werden.</translation>
    </message>
    <message>
        <source>The run&apos;s folder is not there any more.</source>
        <translation>Den Ordner des Laufs gibt es nicht mehr.</translation>
    </message>
    <message>
        <source>The run was imported: another program has recorded it.</source>
        <translation>Der Lauf wurde importiert: Ein anderes Programm hat ihn aufgezeichnet.</translation>
    </message>
    <message>
        <source>The run is not active: it is %1.</source>
        <translation>Der Lauf ist nicht aktiv. Sein Zustand: %1.</translation>
    </message>
    <message>
        <source>The run has a job in Slurm. Stop it first.</source>
        <translation>Der Lauf hat einen Job in Slurm. Diesen zuerst stoppen.</translation>
    </message>
    <message>
        <source>The run is active. Stop it first.</source>
        <translation>Der Lauf ist aktiv. Ihn zuerst stoppen.</translation>
    </message>
    <message>
        <source>The run is already stopping.</source>
        <translation>Der Lauf wird schon gestoppt.</translation>
    </message>
    <message>
        <source>The run waits before its ranks are started again.</source>
        <translation>Der Lauf wartet, bevor seine Ranks neu gestartet werden.</translation>
    </message>
    <message>
        <source>The run has not completed its first step yet.</source>
        <translation>Der Lauf hat seinen ersten Schritt noch nicht abgeschlossen.</translation>
    </message>
    <message>
        <source>The run does not wait in the queue.</source>
        <translation>Der Lauf wartet nicht in der Warteschlange.</translation>
    </message>
    <message>
        <source>Slurm starts the run when its turn has come.</source>
        <translation>Slurm startet den Lauf, wenn er an der Reihe ist.</translation>
    </message>
    <message>
        <source>The run is active already.</source>
        <translation>Der Lauf ist schon aktiv.</translation>
    </message>
    <message>
        <source>The run was started before. Resume it.</source>
        <translation>Der Lauf wurde schon gestartet. Er lässt sich fortsetzen.</translation>
    </message>
    <message>
        <source>The run waits in the queue. Start it.</source>
        <translation>Der Lauf wartet in der Warteschlange: ihn starten.</translation>
    </message>
    <message>
        <source>The run has not been started yet. Start it.</source>
        <translation>Der Lauf wurde noch nicht gestartet: ihn starten.</translation>
    </message>
    <message>
        <source>The run waits in the queue already.</source>
        <translation>Der Lauf wartet schon in der Warteschlange.</translation>
    </message>
</context>
<context>
    <name>ui::RunField</name>
    <message>
        <source>lowest %1</source>
        <translation>niedrigster %1</translation>
    </message>
    <message>
        <source>highest %1</source>
        <translation>höchster %1</translation>
    </message>
</context>
<context>
    <name>ui::RunPulse</name>
    <message>
        <source>This run is on another machine: it can be viewed here, but not controlled at present.</source>
        <translation>Dieser Lauf ist auf einem anderen Rechner: Er kann hier angesehen, aber zurzeit nicht gesteuert werden.</translation>
    </message>
</context>
<context>
    <name>ui::RunQuery</name>
    <message>
        <source>This quotation mark is not closed.</source>
        <translation>Dieses Anführungszeichen ist nicht geschlossen.</translation>
    </message>
    <message>
        <source>This parenthesis has no counterpart before it.</source>
        <translation>Zu dieser Klammer fehlt davor das Gegenstück.</translation>
    </message>
    <message>
        <source>“%1” needs a condition before it.</source>
        <translation>Vor „%1“ fehlt eine Bedingung.</translation>
    </message>
    <message>
        <source>“%1” needs a condition after it.</source>
        <translation>Nach „%1“ fehlt eine Bedingung.</translation>
    </message>
    <message>
        <source>“%1” needs a name before it, as in loss &lt; 0.2.</source>
        <translation>Vor „%1“ fehlt ein Name, wie in loss &lt; 0.2.</translation>
    </message>
    <message>
        <source>This parenthesis is not closed.</source>
        <translation>Diese Klammer ist nicht geschlossen.</translation>
    </message>
    <message>
        <source>“%1” is not known here: there are min(METRIC), max(METRIC) and last(METRIC).</source>
        <translation>„%1“ ist hier nicht bekannt: Es gibt min(METRIK), max(METRIK) und last(METRIK).</translation>
    </message>
    <message>
        <source>The name of a metric is missing here.</source>
        <translation>Hier fehlt der Name einer Metrik.</translation>
    </message>
    <message>
        <source>%1(%2) must be compared, as in %1(%2) &lt; 0.2.</source>
        <translation>%1(%2) muss verglichen werden, wie in %1(%2) &lt; 0.2.</translation>
    </message>
    <message>
        <source>No run has an option or a metric called “%1”.</source>
        <translation>Kein Lauf hat eine Option oder Metrik namens „%1“.</translation>
    </message>
    <message>
        <source>No run has an option or a metric called “%1”; did you mean “%2”?</source>
        <translation>Kein Lauf hat eine Option oder Metrik namens „%1“; ist „%2“ gemeint?</translation>
    </message>
    <message>
        <source>“%1” is not a comparison: use &lt;, &lt;=, &gt;, &gt;=, =, != or :.</source>
        <translation>„%1“ ist kein Vergleich: Es gibt &lt;, &lt;=, &gt;, &gt;=, =, != und :.</translation>
    </message>
    <message>
        <source>“%1” needs a value after it.</source>
        <translation>Nach „%1“ fehlt ein Wert.</translation>
    </message>
    <message>
        <source>“%1” compares numbers, and this is text: use :, = or !=.</source>
        <translation>„%1“ vergleicht Zahlen, und dies ist Text: :, = oder != verwenden.</translation>
    </message>
    <message>
        <source>“%1” is not a number; numbers are written as 0.2 or 1e-4.</source>
        <translation>„%1“ ist keine Zahl; Zahlen schreibt man als 0.2 oder 1e-4.</translation>
    </message>
    <message>
        <source>“%1” is no state; the states are %2.</source>
        <translation>„%1“ ist kein Zustand; es gibt %2.</translation>
    </message>
</context>
<context>
    <name>ui::RunState</name>
    <message>
        <source>Prepared</source>
        <translation>Vorbereitet</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Eingereiht</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Stalled</source>
        <translation>Hängt</translation>
    </message>
    <message>
        <source>Restarting</source>
        <translation>Neustart</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Stoppt</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Unterbrochen</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>Fehlt</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>Importiert</translation>
    </message>
    <message>
        <source>Cut off</source>
        <translation>Unerreichbar</translation>
    </message>
</context>
<context>
    <name>ui::RunsModel</name>
    <message>
        <source>Draw %1 in the plots</source>
        <translation>%1 in den Kurven zeichnen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>drawn</source>
        <translation>gezeichnet</translation>
    </message>
    <message>
        <source>not drawn</source>
        <translation>nicht gezeichnet</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Hide this run from the plots</source>
        <translation>Diesen Lauf in den Kurven ausblenden</translation>
    </message>
    <message>
        <source>Draw this run in the plots</source>
        <translation>Diesen Lauf in den Kurven zeichnen</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>Wartet auf: %1</translation>
    </message>
    <message>
        <source>Now: %1</source>
        <translation>Jetzt: %1</translation>
    </message>
    <message>
        <source>Last record: %1</source>
        <translation>Letzter Eintrag: %1</translation>
    </message>
    <message>
        <source>Drawn in the plots</source>
        <translation>In den Kurven gezeichnet</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Last record</source>
        <translation>Letzter Eintrag</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Angelegt</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ranks</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Saved view: %1</source>
        <translation>Gespeicherte Ansicht: %1</translation>
    </message>
    <message>
        <source>Arrange the window as it was saved</source>
        <translation>Das Fenster so anordnen, wie es gespeichert wurde</translation>
    </message>
</context>
<context>
    <name>ui::RunsView</name>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>No runs yet.</source>
        <translation>Noch keine Läufe.</translation>
    </message>
    <message>
        <source>The only run does not match.</source>
        <translation>Der einzige Lauf passt nicht.</translation>
    </message>
    <message numerus="yes">
        <source>0 of %Ln runs match.</source>
        <translation>
            <numerusform>0 von %Ln Lauf passt.</numerusform>
            <numerusform>0 von %Ln Läufen passen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Clear filter</source>
        <translation>Filter löschen</translation>
    </message>
    <message>
        <source>All runs are archived. The entry “Show archived runs” of the menu View shows them.</source>
        <translation>Alle Läufe sind archiviert. Der Eintrag „Archivierte Läufe zeigen“ im Menü Ansicht zeigt sie.</translation>
    </message>
</context>
<context>
    <name>ui::SavedView</name>
    <message>
        <source>x axis</source>
        <translation>x-Achse</translation>
    </message>
    <message>
        <source>choice of plots</source>
        <translation>Wahl der Diagramme</translation>
    </message>
    <message>
        <source>grouping of the runs</source>
        <translation>Gruppierung der Läufe</translation>
    </message>
    <message>
        <source>smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>scale of a plot</source>
        <translation>Skala eines Diagramms</translation>
    </message>
    <message>
        <source>outliers of a plot</source>
        <translation>Ausreißer eines Diagramms</translation>
    </message>
    <message>
        <source>visible range</source>
        <translation>sichtbarer Bereich</translation>
    </message>
    <message>
        <source>look of the plots</source>
        <translation>Aussehen der Diagramme</translation>
    </message>
    <message>
        <source>was saved by a newer Atelier</source>
        <translation>wurde von einem neueren Atelier gespeichert</translation>
    </message>
    <message>
        <source>is damaged</source>
        <translation>ist beschädigt</translation>
    </message>
    <message>
        <source>choice of runs</source>
        <translation>Wahl der Läufe</translation>
    </message>
    <message>
        <source>filter of the runs</source>
        <translation>Filter der Läufe</translation>
    </message>
    <message>
        <source>columns of the runs</source>
        <translation>Spalten der Läufe</translation>
    </message>
    <message>
        <source>baseline</source>
        <translation>Baseline</translation>
    </message>
</context>
<context>
    <name>ui::SavedViews</name>
    <message>
        <source>A view needs a name.</source>
        <translation>Eine Ansicht braucht einen Namen.</translation>
    </message>
    <message>
        <source>This name is too long for a view.</source>
        <translation>Dieser Name ist zu lang für eine Ansicht.</translation>
    </message>
    <message>
        <source>The view “%1” cannot be read: %2.</source>
        <translation>Die Ansicht „%1“ kann nicht gelesen werden: %2.</translation>
    </message>
    <message>
        <source>is damaged</source>
        <translation>ist beschädigt</translation>
    </message>
    <message>
        <source>The view “%1” cannot be opened: its file %2 %3. Nothing was changed.</source>
        <translation>Die Ansicht „%1“ kann nicht geöffnet werden: Ihre Datei %2 %3. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>There is a view “%1” already. Choose another name.</source>
        <translation>Es gibt schon eine Ansicht „%1“. Einen anderen Namen wählen.</translation>
    </message>
</context>
<context>
    <name>ui::ScriptView</name>
    <message>
        <source>Batch script for Slurm</source>
        <translation>Batch-Skript für Slurm</translation>
    </message>
</context>
<context>
    <name>ui::SearchDialog</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Option %1</source>
        <translation>Option %1</translation>
    </message>
    <message>
        <source>Cause, attempt %1</source>
        <translation>Ursache, Versuch %1</translation>
    </message>
    <message>
        <source>Event at step %1</source>
        <translation>Ereignis bei Schritt %1</translation>
    </message>
    <message>
        <source>Log, %1</source>
        <translation>Log, %1</translation>
    </message>
    <message>
        <source>Rege&amp;x</source>
        <translation>Rege&amp;x</translation>
    </message>
    <message>
        <source>In &amp;logs, too</source>
        <translation>Auch in &amp;Logs</translation>
    </message>
    <message>
        <source>Search in all runs</source>
        <translation>In allen Läufen suchen</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Was gefunden wurde</translation>
    </message>
    <message>
        <source>Text in names, notes, tags, options, errors or logs</source>
        <translation>Text in Namen, Notizen, Tags, Optionen, Fehlern oder Logs</translation>
    </message>
    <message>
        <source>Text to search for</source>
        <translation>Gesuchter Text</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>&amp;Suchen</translation>
    </message>
    <message>
        <source>1 place</source>
        <translation>1 Stelle</translation>
    </message>
    <message numerus="yes">
        <source>%Ln places</source>
        <translation>
            <numerusform>%Ln Stelle</numerusform>
            <numerusform>%Ln Stellen</numerusform>
        </translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>S&amp;toppen</translation>
    </message>
    <message>
        <source>Type a text and press Return: names, projects, tags, notes, options, causes of failures, warnings and logs of all runs are searched.</source>
        <translation>Einen Text eingeben und die Eingabetaste drücken: Namen, Projekte, Tags, Notizen, Optionen, Fehlerursachen, Warnungen und Logs aller Läufe werden durchsucht.</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>Nichts gefunden.</translation>
    </message>
    <message>
        <source>1 run</source>
        <translation>1 Lauf</translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs</source>
        <translation>
            <numerusform>%Ln Lauf</numerusform>
            <numerusform>%Ln Läufen</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 in %2 so far; logs of %3 of %4 runs searched</source>
        <translation>Bisher %1 in %2; Logs von %3 der %4 Läufe durchsucht</translation>
    </message>
    <message>
        <source>The first %1 in %2; a longer text finds fewer</source>
        <translation>Die ersten %1 in %2; ein längerer Text findet weniger</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>Search for it as plain text</source>
        <translation>Als einfachen Text suchen</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
</context>
<context>
    <name>ui::SeveralButton</name>
    <message>
        <source>Several values: a run for each is queued</source>
        <translation>Mehrere Werte: für jeden kommt ein Lauf in die Warteschlange</translation>
    </message>
</context>
<context>
    <name>ui::StackedParts</name>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Rückwärts</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Sonstiges</translation>
    </message>
</context>
<context>
    <name>ui::StartBar</name>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Command line:</source>
        <translation>Befehlszeile:</translation>
    </message>
    <message>
        <source>Equivalent command line</source>
        <translation>Gleichbedeutende Befehlszeile</translation>
    </message>
    <message>
        <source>Copy the command line</source>
        <translation>Befehlszeile kopieren</translation>
    </message>
    <message>
        <source>Other ways to start</source>
        <translation>Andere Arten zu starten</translation>
    </message>
    <message>
        <source>Add to &amp;queue</source>
        <translation>In die &amp;Warteschlange</translation>
    </message>
    <message>
        <source>Start – 1 problem left</source>
        <translation>Starten – noch 1 Problem</translation>
    </message>
    <message>
        <source>Start – %1 problems left</source>
        <translation>Starten – noch %1 Probleme</translation>
    </message>
    <message>
        <source>Queue %1 runs…</source>
        <translation>%1 Läufe einreihen …</translation>
    </message>
    <message>
        <source>&amp;Queue as a new run</source>
        <translation>Als neuen Lauf &amp;einreihen</translation>
    </message>
    <message>
        <source>Add another run to the queue; the one that waits stays as it is</source>
        <translation>Einen weiteren Lauf einreihen; der wartende bleibt, wie er ist</translation>
    </message>
    <message>
        <source>None yet. %1</source>
        <translation>Noch keine. %1</translation>
    </message>
    <message>
        <source>Save – 1 problem left</source>
        <translation>Speichern – noch 1 Problem</translation>
    </message>
    <message>
        <source>Save – %1 problems left</source>
        <translation>Speichern – noch %1 Probleme</translation>
    </message>
    <message>
        <source>Save in the queue</source>
        <translation>In der Warteschlange speichern</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Do not start after the checks</source>
        <translation>Nach den Prüfungen nicht starten</translation>
    </message>
</context>
<context>
    <name>ui::StateBadge</name>
    <message>
        <source>State: %1</source>
        <translation>Zustand: %1</translation>
    </message>
</context>
<context>
    <name>ui::StatusStrip</name>
    <message>
        <source>No active runs</source>
        <translation>Keine aktiven Läufe</translation>
    </message>
    <message>
        <source>1 active run</source>
        <translation>1 aktiver Lauf</translation>
    </message>
    <message numerus="yes">
        <source>%Ln active runs</source>
        <translation>
            <numerusform>%Ln aktiver Lauf</numerusform>
            <numerusform>%Ln aktive Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>Last record %1</source>
        <translation>Letzter Eintrag %1</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>%1 frei</translation>
    </message>
    <message>
        <source>%1 free here</source>
        <translation>%1 frei hier</translation>
    </message>
    <message>
        <source>No run was active</source>
        <translation>Kein Lauf war aktiv</translation>
    </message>
    <message>
        <source>1 run was active</source>
        <translation>1 Lauf war aktiv</translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs were active</source>
        <translation>
            <numerusform>%Ln Läufe waren aktiv</numerusform>
            <numerusform>%Ln Läufe waren aktiv</numerusform>
        </translation>
    </message>
    <message>
        <source>Active runs are not known yet</source>
        <translation>Aktive Läufe sind noch nicht bekannt</translation>
    </message>
    <message>
        <source>Last record: %1</source>
        <translation>Letzter Eintrag: %1</translation>
    </message>
</context>
<context>
    <name>ui::StepChart</name>
    <message>
        <source>Step %1 is marked. %2</source>
        <translation>Schritt %1 ist markiert. %2</translation>
    </message>
</context>
<context>
    <name>ui::StepsView</name>
    <message>
        <source>Parts of steps</source>
        <translation>Anteile von Schritten</translation>
    </message>
    <message>
        <source>Parts of rounds</source>
        <translation>Anteile von Runden</translation>
    </message>
    <message>
        <source>What is divided into parts</source>
        <translation>Was in Anteile zerlegt wird</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Computing by rank</source>
        <translation>Rechnen nach Rank</translation>
    </message>
    <message>
        <source>Waiting by rank</source>
        <translation>Warten nach Rank</translation>
    </message>
    <message>
        <source>Step time by rank</source>
        <translation>Schrittzeit nach Rank</translation>
    </message>
    <message>
        <source>Memory by rank</source>
        <translation>Speicher nach Rank</translation>
    </message>
    <message>
        <source>What is shown of each rank</source>
        <translation>Was von jedem Rank gezeigt wird</translation>
    </message>
    <message>
        <source>Mean of all ranks</source>
        <translation>Mittel aller Ranks</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>Rank %1 holds the others up: it computes %2 longer than they do, and they wait %3 a step (last %4 steps).</source>
        <translation>Rank %1 hält die anderen auf: Er rechnet %2 länger als sie, und sie warten %3 je Schritt (letzte %4 Schritte).</translation>
    </message>
    <message>
        <source>No run is selected. Choose one in the list to see where the time of its steps goes.</source>
        <translation>Kein Lauf ausgewählt. Ein Klick auf einen in der Liste zeigt, wohin die Zeit seiner Schritte geht.</translation>
    </message>
    <message>
        <source>No step is finished yet.</source>
        <translation>Noch kein Schritt abgeschlossen.</translation>
    </message>
    <message>
        <source>The times could not be read. %1</source>
        <translation>Die Zeiten konnten nicht gelesen werden. %1</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Show all steps</source>
        <translation>Alle Schritte zeigen</translation>
    </message>
    <message>
        <source>Numbers as a table</source>
        <translation>Zahlen als Tabelle</translation>
    </message>
    <message>
        <source>Show the numbers as a table, or the chart</source>
        <translation>Die Zahlen als Tabelle zeigen oder das Diagramm</translation>
    </message>
    <message>
        <source>Move the view</source>
        <translation>Den Ausschnitt verschieben</translation>
    </message>
    <message>
        <source>Mark another step</source>
        <translation>Anderen Schritt markieren</translation>
    </message>
    <message>
        <source>Another rank</source>
        <translation>Anderer Rank</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>Vergrößern und verkleinern</translation>
    </message>
    <message>
        <source>Back from the table</source>
        <translation>Zurück von der Tabelle</translation>
    </message>
    <message>
        <source>This run has finished no step.</source>
        <translation>Dieser Lauf hat keinen Schritt abgeschlossen.</translation>
    </message>
</context>
<context>
    <name>ui::StoreMessages</name>
    <message>
        <source>Rebuilding the index: run %1 of %2</source>
        <translation>Index wird neu aufgebaut: Lauf %1 von %2</translation>
    </message>
    <message>
        <source>The index has been rebuilt from the run folders.</source>
        <translation>Der Index wurde aus den Laufordnern neu aufgebaut.</translation>
    </message>
    <message>
        <source>Rebuild index</source>
        <translation>Index neu aufbauen</translation>
    </message>
    <message>
        <source>The index of runs can be read but not written, so new records of runs are not shown. Make its folder writable, then choose Retry.</source>
        <translation>Der Index der Läufe lässt sich lesen, aber nicht schreiben; neue Einträge von Läufen werden daher nicht gezeigt. Seinen Ordner beschreibbar machen, dann „Erneut versuchen“ wählen.</translation>
    </message>
    <message>
        <source>Runs continue, but their new records cannot be shown at present. Atelier retries automatically: %1</source>
        <translation>Läufe gehen weiter, aber ihre neuen Einträge können derzeit nicht gezeigt werden. Atelier versucht es von selbst erneut: %1</translation>
    </message>
    <message>
        <source>Try now</source>
        <translation>Jetzt versuchen</translation>
    </message>
    <message>
        <source>The folder of all runs is not there: %1. Only what the index knows of them can be shown. If it is on a disk that is not mounted, mount it; the runs are then read again by themselves.</source>
        <translation>Der Ordner aller Läufe ist nicht da: %1. Nur was der Index über sie weiß, kann gezeigt werden. Liegt er auf einer Platte, die nicht eingehängt ist: Nach dem Einhängen werden die Läufe von selbst neu gelesen.</translation>
    </message>
</context>
<context>
    <name>ui::SurplusModel</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Checkpoint that no rule keeps</source>
        <translation>Checkpoint, den keine Regel behält</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
</context>
<context>
    <name>ui::SweepDialog</name>
    <message>
        <source>Runs to queue</source>
        <translation>Läufe für die Warteschlange</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>&amp;All</source>
        <translation>&amp;Alle</translation>
    </message>
    <message>
        <source>Add to queue</source>
        <translation>In die Warteschlange</translation>
    </message>
    <message>
        <source>The runs are being checked…</source>
        <translation>Die Läufe werden geprüft …</translation>
    </message>
    <message>
        <source>Tick the runs that are to be queued.</source>
        <translation>Markiere die Läufe, die in die Warteschlange sollen.</translation>
    </message>
    <message>
        <source>1 run will wait in the queue.</source>
        <translation>1 Lauf wird in der Warteschlange warten.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs will wait in the queue.</source>
        <translation>
            <numerusform>%Ln Lauf wird in der Warteschlange warten.</numerusform>
            <numerusform>%Ln Läufe werden in der Warteschlange warten.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::SystemView</name>
    <message>
        <source>No run is selected. Choose one in the list to see what the machine did meanwhile.</source>
        <translation>Kein Lauf ausgewählt. Ein Klick auf einen in der Liste zeigt, was die Maschine währenddessen tat.</translation>
    </message>
    <message>
        <source>Nothing was recorded of the machine. A run that Atelier itself starts records it every five seconds.</source>
        <translation>Von der Maschine wurde nichts aufgezeichnet. Ein Lauf, den Atelier selbst startet, tut das alle fünf Sekunden.</translation>
    </message>
    <message>
        <source>The curves could not be read. %1</source>
        <translation>Die Kurven konnten nicht gelesen werden. %1</translation>
    </message>
</context>
<context>
    <name>ui::TableKeys</name>
    <message>
        <source>ascending</source>
        <translation>aufsteigend</translation>
    </message>
    <message>
        <source>descending</source>
        <translation>absteigend</translation>
    </message>
</context>
<context>
    <name>ui::TensorModel</name>
    <message>
        <source>scalar</source>
        <translation>Skalar</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Elements</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
</context>
<context>
    <name>ui::TensorsPanel</name>
    <message>
        <source>Tensors of the checkpoint</source>
        <translation>Tensoren des Checkpoints</translation>
    </message>
    <message>
        <source>Filter by name, shape or type</source>
        <translation>Nach Name, Form oder Typ filtern</translation>
    </message>
    <message>
        <source>Filter tensors</source>
        <translation>Tensoren filtern</translation>
    </message>
    <message>
        <source>It no longer exists or is being removed.</source>
        <translation>Es gibt ihn nicht mehr, oder er wird gerade entfernt.</translation>
    </message>
    <message>
        <source>%1 · %2 · %3 in %4</source>
        <translation>%1 · %2 · %3 in %4</translation>
    </message>
    <message>
        <source>1 rank</source>
        <translation>1 Rank</translation>
    </message>
    <message numerus="yes">
        <source>%Ln ranks</source>
        <translation>
            <numerusform>%Ln Rank</numerusform>
            <numerusform>%Ln Ranks</numerusform>
        </translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 Datei</translation>
    </message>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln Datei</numerusform>
            <numerusform>%Ln Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>Choose one checkpoint to see its tensors.</source>
        <translation>Ein ausgewählter Checkpoint zeigt hier seine Tensoren.</translation>
    </message>
    <message>
        <source>This checkpoint cannot be read. %1</source>
        <translation>Dieser Checkpoint kann nicht gelesen werden. %1</translation>
    </message>
    <message>
        <source>The only tensor does not match.</source>
        <translation>Der einzige Tensor passt nicht.</translation>
    </message>
    <message numerus="yes">
        <source>0 of %Ln tensors match.</source>
        <translation>
            <numerusform>0 von %Ln Tensor passt.</numerusform>
            <numerusform>0 von %Ln Tensoren passen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Clear filter</source>
        <translation>Filter löschen</translation>
    </message>
    <message>
        <source>1 tensor</source>
        <translation>1 Tensor</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tensors</source>
        <translation>
            <numerusform>%Ln Tensor</numerusform>
            <numerusform>%Ln Tensoren</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 tensors</source>
        <translation>%1 von %2 Tensoren</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
</context>
<context>
    <name>ui::TomlEdit</name>
    <message>
        <source>Experiment as TOML text</source>
        <translation>Experiment als TOML-Text</translation>
    </message>
    <message>
        <source>All options have their defaults.</source>
        <translation>Alle Optionen haben ihre Vorgaben.</translation>
    </message>
</context>
<context>
    <name>ui::TrashDialog</name>
    <message>
        <source>Trash</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>Run or checkpoint</source>
        <translation>Lauf oder Checkpoint</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>Entfernt</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Move the selected runs and checkpoints back to where they were</source>
        <translation>Die ausgewählten Läufe und Checkpoints an ihren früheren Ort zurücklegen</translation>
    </message>
    <message>
        <source>Empty trash…</source>
        <translation>Papierkorb leeren…</translation>
    </message>
    <message>
        <source>Delete everything in the trash for good</source>
        <translation>Alles im Papierkorb endgültig löschen</translation>
    </message>
    <message>
        <source>%1, from %2</source>
        <translation>%1, von %2</translation>
    </message>
    <message>
        <source>The trash is empty.</source>
        <translation>Der Papierkorb ist leer.</translation>
    </message>
    <message>
        <source>%1  (%2)</source>
        <translation>%1  (%2)</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation>Papierkorb leeren</translation>
    </message>
    <message>
        <source>Delete %1 for good? This frees %2 and cannot be undone.</source>
        <translation>%1 endgültig löschen? Das gibt %2 frei und lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>1 item</source>
        <translation>1 Eintrag</translation>
    </message>
    <message numerus="yes">
        <source>%Ln items</source>
        <translation>
            <numerusform>%Ln Eintrag</numerusform>
            <numerusform>%Ln Einträge</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message>
        <source>Trash of %1</source>
        <translation>Papierkorb von %1</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
</context>
<context>
    <name>ui::TrialView</name>
    <message>
        <source>the start</source>
        <translation>der Start</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Steps of the trial</source>
        <translation>Schritte der Probe</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>Rank 0 %1</source>
        <translation>Rank 0: %1</translation>
    </message>
    <message>
        <source>The trial was cancelled.</source>
        <translation>Die Probe wurde abgebrochen.</translation>
    </message>
    <message>
        <source>%1 a step in a round of %2</source>
        <translation>%1 je Schritt in einer Runde von %2</translation>
    </message>
    <message>
        <source>%1 a step, the median of %2 after the first</source>
        <translation>%1 je Schritt, der Median von %2 nach dem ersten</translation>
    </message>
    <message>
        <source>%1 take about %2: %3.</source>
        <translation>%1 dauern etwa %2: %3.</translation>
    </message>
    <message>
        <source>Not included: %1.</source>
        <translation>Nicht enthalten: %1.</translation>
    </message>
    <message>
        <source>The largest rank needed %1 in the trial; forecast, without the copy for a checkpoint: %2.</source>
        <translation>Der größte Rank brauchte in der Probe %1; Prognose ohne die Kopie für einen Checkpoint: %2.</translation>
    </message>
    <message>
        <source>&amp;Try one round</source>
        <translation>Eine &amp;Runde probieren</translation>
    </message>
    <message>
        <source>&amp;Try three steps</source>
        <translation>Drei &amp;Schritte probieren</translation>
    </message>
    <message>
        <source>A trial needs an experiment without problems.</source>
        <translation>Eine Probe braucht ein Experiment ohne Probleme.</translation>
    </message>
    <message>
        <source>Train a few steps with the real processes, to say how long the run will take; nothing is left of them</source>
        <translation>Einige Schritte mit den wirklichen Prozessen trainieren, um zu sagen, wie lange der Lauf dauern wird; von ihnen bleibt nichts zurück</translation>
    </message>
    <message>
        <source>The settings have changed since the trial.</source>
        <translation>Die Einstellungen haben sich seit der Probe geändert.</translation>
    </message>
    <message>
        <source>1 drawing of samples</source>
        <translation>1 Ziehung von Samples</translation>
    </message>
    <message numerus="yes">
        <source>%Ln drawings of samples</source>
        <translation>
            <numerusform>%Ln Ziehung von Samples</numerusform>
            <numerusform>%Ln Ziehungen von Samples</numerusform>
        </translation>
    </message>
    <message>
        <source>1 checkpoint</source>
        <translation>1 Checkpoint</translation>
    </message>
    <message numerus="yes">
        <source>%Ln checkpoints</source>
        <translation>
            <numerusform>%Ln Checkpoint</numerusform>
            <numerusform>%Ln Checkpoints</numerusform>
        </translation>
    </message>
    <message>
        <source>1 validation</source>
        <translation>1 Validierung</translation>
    </message>
    <message numerus="yes">
        <source>%Ln validations</source>
        <translation>
            <numerusform>%Ln Validierung</numerusform>
            <numerusform>%Ln Validierungen</numerusform>
        </translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 Schritt</translation>
    </message>
    <message numerus="yes">
        <source>%Ln steps</source>
        <translation>
            <numerusform>%Ln Schritt</numerusform>
            <numerusform>%Ln Schritte</numerusform>
        </translation>
    </message>
    <message>
        <source>The machine does not say what it has measured.</source>
        <translation>Der Rechner sagt nicht, was er gemessen hat.</translation>
    </message>
    <message>
        <source>The run is for Slurm. A trial outside of it would not say how long its steps take.</source>
        <translation>Der Lauf ist für Slurm. Eine Probe außerhalb davon würde nicht sagen, wie lange seine Schritte dauern.</translation>
    </message>
</context>
<context>
    <name>ui::UndoActions</name>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Do again what was undone last</source>
        <translation>Das zuletzt Zurückgenommene noch einmal tun</translation>
    </message>
    <message>
        <source>&amp;Undo: %1</source>
        <translation>&amp;Rückgängig: %1</translation>
    </message>
    <message>
        <source>Nothing was changed in the view.</source>
        <translation>In der Ansicht wurde nichts geändert.</translation>
    </message>
    <message>
        <source>Nothing was edited, and there is no run in the trash.</source>
        <translation>Nichts wurde geändert, und im Papierkorb liegt kein Lauf.</translation>
    </message>
    <message>
        <source>Nothing was undone.</source>
        <translation>Nichts wurde rückgängig gemacht.</translation>
    </message>
    <message>
        <source>&amp;Redo: %1</source>
        <translation>&amp;Wiederholen: %1</translation>
    </message>
    <message>
        <source>Undo the last edit of runs, restore the runs or, in the tab Checkpoints, the checkpoints that were last moved to the trash, or take back the last change of the view</source>
        <translation>Die letzte Änderung an Läufen zurücknehmen, die zuletzt in den Papierkorb verschobenen Läufe oder, im Reiter Checkpoints, Checkpoints wiederherstellen oder die letzte Änderung der Ansicht zurücknehmen</translation>
    </message>
    <message>
        <source>&amp;Undo deletion of checkpoints</source>
        <translation>Löschen von Checkpoints &amp;rückgängig machen</translation>
    </message>
</context>
<context>
    <name>ui::UnpackDialog</name>
    <message>
        <source>Unpacks %1 and checks every file.</source>
        <translation>Packt %1 aus und prüft jede Datei.</translation>
    </message>
    <message>
        <source>Unpack a run</source>
        <translation>Lauf auspacken</translation>
    </message>
    <message>
        <source>%1 cannot be unpacked: %2</source>
        <translation>%1 kann nicht ausgepackt werden: %2</translation>
    </message>
</context>
<context>
    <name>ui::ViewFrame</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Wird geladen</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Reading was cancelled.</source>
        <translation>Das Lesen wurde abgebrochen.</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
</context>
<context>
    <name>ui::ViewKeeper</name>
    <message>
        <source>Saved the view “%1”.</source>
        <translation>Ansicht „%1“ gespeichert.</translation>
    </message>
    <message>
        <source>opening of the view “%1”</source>
        <translation>Öffnen der Ansicht „%1“</translation>
    </message>
    <message>
        <source>Opened the view “%1”.</source>
        <translation>Ansicht „%1“ geöffnet.</translation>
    </message>
    <message>
        <source>One of its runs is not here; it is drawn if it comes back.</source>
        <translation>Einer ihrer Läufe ist nicht hier; er wird gezeichnet, wenn er wiederkommt.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln of its runs are not here; they are drawn if they come back.</source>
        <translation>
            <numerusform>%Ln ihrer Läufe ist nicht hier; er wird gezeichnet, wenn er wiederkommt.</numerusform>
            <numerusform>%Ln ihrer Läufe sind nicht hier; sie werden gezeichnet, wenn sie wiederkommen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Renamed the view “%1” to “%2”.</source>
        <translation>Ansicht „%1“ in „%2“ umbenannt.</translation>
    </message>
    <message>
        <source>Deleted the view “%1”.</source>
        <translation>Ansicht „%1“ gelöscht.</translation>
    </message>
</context>
<context>
    <name>ui::ViewsMenu</name>
    <message>
        <source>Saved &amp;views</source>
        <translation>&amp;Gespeicherte Ansichten</translation>
    </message>
    <message>
        <source>No saved views yet</source>
        <translation>Noch keine gespeicherten Ansichten</translation>
    </message>
    <message>
        <source>&amp;Save this view…</source>
        <translation>Diese Ansicht &amp;speichern…</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>&amp;Umbenennen</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>&amp;Löschen</translation>
    </message>
    <message>
        <source>Save the view</source>
        <translation>Ansicht speichern</translation>
    </message>
    <message>
        <source>Replace a view</source>
        <translation>Ansicht ersetzen</translation>
    </message>
    <message>
        <source>There is a view “%1” already. Replace it?</source>
        <translation>Es gibt schon eine Ansicht „%1“. Ersetzen?</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Rename the view</source>
        <translation>Ansicht umbenennen</translation>
    </message>
    <message>
        <source>Delete a view</source>
        <translation>Ansicht löschen</translation>
    </message>
    <message>
        <source>Delete the view “%1”? The window stays as it is, and no run is touched.</source>
        <translation>Die Ansicht „%1“ löschen? Das Fenster bleibt, wie es ist, und kein Lauf wird angetastet.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Name of the view:</source>
        <translation>Name der Ansicht:</translation>
    </message>
</context>
<context>
    <name>ui::WebhookDialog</name>
    <message>
        <source>Tell a web address</source>
        <translation>Webadresse benachrichtigen</translation>
    </message>
    <message>
        <source>Web address</source>
        <translation>Webadresse</translation>
    </message>
    <message>
        <source>https://… (empty: none is told)</source>
        <translation>https://… (leer: keine)</translation>
    </message>
    <message>
        <source>Send a test</source>
        <translation>Test senden</translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation>Wird gesendet…</translation>
    </message>
    <message>
        <source>The test was accepted.</source>
        <translation>Der Test wurde angenommen.</translation>
    </message>
    <message>
        <source>The test failed: %1.</source>
        <translation>Der Test ist fehlgeschlagen: %1.</translation>
    </message>
    <message>
        <source>When a run finishes, fails or hangs, or the queue cannot go on, its name and cause are sent here: the address of a Slack, Discord or ntfy channel, or of a program of your own. Whoever knows such an address can write to the channel.</source>
        <translation>Wenn ein Lauf endet, fehlschlägt oder hängt oder die Warteschlange nicht weiterkann, gehen sein Name und die Ursache hierhin: an die Adresse eines Kanals bei Slack, Discord oder ntfy oder eines eigenen Programms. Wer eine solche Adresse kennt, kann in den Kanal schreiben.</translation>
    </message>
</context>
</TS>
